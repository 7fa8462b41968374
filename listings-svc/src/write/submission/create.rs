//! New pages, games and events of accounts.

use kit::{Fault, ids};

use super::context::{AcceptedSubmission, SubmissionContext, SubmittedListing};
use crate::domain::body;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::reference_data::ReferenceData;
use crate::domain::slug;
use crate::domain::state::ListingState;
use crate::feed::ChangeKind;
use crate::store::page_owners::{self, GrantSource};
use crate::store::revisions::Actor;
use crate::store::{accounts, listings};
use crate::write::{limits, record_change};

/// Submits a game under a page of the account.
pub(super) async fn game(context: &mut SubmissionContext<'_>) -> Result<AcceptedSubmission, Fault> {
    let author = context.submission.author.account;
    let reference = context.reference_data_of_game(&[]).await?;
    let body = &context.submission.body;
    let read = body::read::<Game>(body, &reference, None).map_err(Fault::invalid)?;
    let handle = read.creator.unwrap_or_default();
    let page = context.page_with_handle(&handle).await?;
    context.check_pending_limit(author).await?;
    context.check_daily_limit()?;
    let base = slug::from_title(&read.game.title).unwrap_or_else(|| "game".to_owned());
    let slug = context.free_slug::<Game>(&base).await?;
    let game = Game {
        slug,
        page_id: page.id,
        ..read.game
    };
    let listing = insert_pending(context, game, page.state == ListingState::Published).await?;
    Ok(context.accept(None, &listing, Some(ChangeKind::Submitted)))
}

pub(super) async fn event(
    context: &mut SubmissionContext<'_>,
) -> Result<AcceptedSubmission, Fault> {
    let author = context.submission.author.account;
    let reference = ReferenceData::at(context.now);
    let body = &context.submission.body;
    let read = body::read::<Event>(body, &reference, None).map_err(Fault::invalid)?;
    context.check_pending_limit(author).await?;
    context.check_daily_limit()?;
    let base = slug::from_title(&read.title).unwrap_or_else(|| "event".to_owned());
    let slug = context.free_slug::<Event>(&base).await?;
    let listing = insert_pending(context, Event { slug, ..read }, true).await?;
    Ok(context.accept(None, &listing, Some(ChangeKind::Submitted)))
}

/// Submits a page; the account becomes its owner. It is not one of the day's writes (§8): the limit of pending submissions holds.
pub(super) async fn page(context: &mut SubmissionContext<'_>) -> Result<AcceptedSubmission, Fault> {
    let author = context.submission.author.account;
    let reference = ReferenceData::at(context.now);
    let body = &context.submission.body;
    let read = body::read::<Page>(body, &reference, None).map_err(Fault::invalid)?;
    let handle = if read.handle.is_empty() {
        let base = slug::from_title(&read.name).unwrap_or_else(|| "page".to_owned());
        context.free_slug::<Page>(&base).await?
    } else {
        let wanted = std::slice::from_ref(&read.handle);
        let (entity, mode) = (Entity::Page, Mode::Live);
        context.lock_names(entity).await?;
        let taken = listings::names(context.connection, entity, mode, wanted).await?;
        if !taken.is_empty() {
            return Err(Fault::invalid_field(
                "handle",
                "It is taken: choose another.",
            ));
        }
        read.handle.clone()
    };
    context.check_pending_limit(author).await?;
    let unpublished = accounts::count_unpublished_pages(context.connection, author).await?;
    limits::check_unpublished_pages(unpublished)?;
    let listing = insert_pending(context, Page { handle, ..read }, true).await?;
    if !context.is_dry_run {
        let source = GrantSource::Submission;
        let (connection, now) = (&mut *context.connection, context.now);
        page_owners::add(connection, listing.id, author, source, now).await?;
    }
    Ok(context.accept(None, &listing, Some(ChangeKind::Submitted)))
}

/// Inserts a new listing, which is pending.
async fn insert_pending<C: Clone + PartialEq>(
    context: &mut SubmissionContext<'_>,
    content: C,
    is_under_public_page: bool,
) -> Result<Listing<C>, Fault>
where
    Listing<C>: SubmittedListing,
{
    let (account, now) = (context.submission.author.account, context.now);
    let listing = Listing::submitted(ids::row_id(), account, content, now)
        .under_page(is_under_public_page, now);
    if !context.is_dry_run {
        let actor = Actor::Account(account);
        record_change::insert(context.connection, &listing, actor, now).await?;
    }
    Ok(listing)
}
