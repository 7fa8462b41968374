//! New pages, games and events of accounts.

use kit::feed::Stop;
use kit::{Fault, ids};

use super::command::{AcceptedCommand, Command, SubmittedListing};
use super::record_change;
use crate::domain::body;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::feed::ChangeKind;
use crate::store::revisions::Actor;
use crate::store::{ListingTable as _, page_owners};

/// Submits a game under a page of the account.
pub(super) async fn game(command: &mut Command<'_>) -> Result<AcceptedCommand, Stop> {
    let reference = command.reference_data().await?;
    let body = &command.submission.body;
    let read = body::read::<Game>(body, &reference, None).map_err(Fault::invalid)?;
    let handle = read.creator.unwrap_or_default();
    let page_id = command.page_with_handle(&handle).await?.id;
    command.check_pending_limit().await?;
    command.check_daily_limit()?;
    let base = slug::from_title(&read.game.title).unwrap_or_else(|| "game".to_owned());
    let slug = command.free_slug::<Game>(&base).await?;
    let game = Game {
        slug,
        page_id,
        ..read.game
    };
    let listing = insert_pending(command, game).await?;
    Ok(command.accept(&listing, Some(ChangeKind::Submitted)))
}

pub(super) async fn event(command: &mut Command<'_>) -> Result<AcceptedCommand, Stop> {
    let reference = command.reference_data().await?;
    let body = &command.submission.body;
    let read = body::read::<Event>(body, &reference, None).map_err(Fault::invalid)?;
    command.check_pending_limit().await?;
    command.check_daily_limit()?;
    let base = slug::from_title(&read.title).unwrap_or_else(|| "event".to_owned());
    let slug = command.free_slug::<Event>(&base).await?;
    let listing = insert_pending(command, Event { slug, ..read }).await?;
    Ok(command.accept(&listing, Some(ChangeKind::Submitted)))
}

/// Submits a page; the account becomes its owner. It does not count as a write of the day (§8).
pub(super) async fn page(command: &mut Command<'_>) -> Result<AcceptedCommand, Stop> {
    let reference = command.reference_data().await?;
    let body = &command.submission.body;
    let read = body::read::<Page>(body, &reference, None).map_err(Fault::invalid)?;
    let handle = if read.handle.is_empty() {
        let base = slug::from_title(&read.name).unwrap_or_else(|| "page".to_owned());
        command.free_slug::<Page>(&base).await?
    } else {
        let wanted = std::slice::from_ref(&read.handle);
        let taken = Listing::<Page>::taken_names(command.connection, wanted).await?;
        if !taken.is_empty() {
            return Err(Fault::invalid_field("handle", "It is taken: choose another.").into());
        }
        read.handle.clone()
    };
    command.check_pending_limit().await?;
    let listing = insert_pending(command, Page { handle, ..read }).await?;
    if !command.is_dry_run {
        let account = command.submission.author.account;
        page_owners::add_submitter(command.connection, listing.id, account, command.now).await?;
    }
    Ok(command.accept(&listing, Some(ChangeKind::Submitted)))
}

/// Inserts a new listing, which is pending.
async fn insert_pending<C: Clone + PartialEq>(
    command: &mut Command<'_>,
    content: C,
) -> Result<Listing<C>, Stop>
where
    Listing<C>: SubmittedListing,
{
    let (account, now) = (command.submission.author.account, command.now);
    let listing = Listing::submitted(ids::row_id(), account, content, now);
    if !command.is_dry_run {
        let actor = Actor::Account(account);
        record_change::insert(command.connection, &listing, actor, now).await?;
    }
    Ok(listing)
}
