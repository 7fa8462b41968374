//! Changes of pages, games and events by their accounts.

use kit::{Code, Fault};
use serde_json::{Map, Value};

use super::context::{AcceptedSubmission, SubmissionContext, SubmittedListing};
use super::representation;
use crate::domain::body::{self, Body, CurrentListing};
use crate::domain::entity::Entity;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::hidden_note;
use crate::domain::reference_data::ReferenceData;
use crate::domain::state::ListingState;
use crate::feed::ChangeKind;
use crate::store::page_owners::PageRef;
use crate::store::revisions::Actor;
use crate::write::absent::no_own_listing;
use crate::write::limits::taken_down;
use crate::write::record_change;

pub(super) async fn game(
    context: &mut SubmissionContext<'_>,
    slug: &str,
) -> Result<AcceptedSubmission, Fault> {
    let not_found = || no_own_listing(Entity::Game);
    let (before, page) = context.lock_game(slug).await?.ok_or_else(not_found)?;
    let credits = &before.content.credits;
    let reference = context.reference_data_of_game(credits).await?;
    let public_url = &context.dependencies.public_url;
    let representation = representation::game(&before, &page, public_url);
    let body = &context.submission.body;
    let read = read_body(body, &reference, &before, representation)?;
    let page = match read.creator {
        Some(handle) if handle != page.handle => {
            // A game that was taken down with its page does not return by a move.
            if before.state == ListingState::Published {
                let left = context.share_page(PageRef::Id(page.id)).await?;
                let left = left.ok_or_else(not_found)?;
                if left.state == ListingState::Removed {
                    return Err(taken_down(&left.handle));
                }
            }
            context.page_with_handle(&handle).await?
        }
        // A change of a rejected game is a submission (§3).
        _ if before.state == ListingState::Rejected => {
            let page = context.share_page(PageRef::Id(page.id)).await?;
            let page = page.ok_or_else(not_found)?;
            if page.state == ListingState::Removed {
                return Err(taken_down(&page.handle));
            }
            page
        }
        Some(_) | None => page,
    };
    let game = Game {
        page_id: page.id,
        ..read.game
    };
    let is_under_public_page = if game.page_id == before.content.page_id {
        before.is_shown_under(page.state)
    } else {
        page.state == ListingState::Published
    };
    let mut accepted = update(context, before, game, is_under_public_page).await?;
    accepted.receipt.note = hidden_note(&page.handle, page.state);
    Ok(accepted)
}

fn read_body<B: Body>(
    body: &Map<String, Value>,
    reference: &ReferenceData,
    before: &Listing<B>,
    representation: Map<String, Value>,
) -> Result<B::Output, Fault> {
    let current = CurrentListing {
        listing: before,
        representation,
    };
    body::read(body, reference, Some(&current)).map_err(Fault::invalid)
}

pub(super) async fn event(
    context: &mut SubmissionContext<'_>,
    slug: &str,
) -> Result<AcceptedSubmission, Fault> {
    let before = context.lock_own_event(slug).await?;
    let reference = ReferenceData::at(context.now);
    let public_url = &context.dependencies.public_url;
    let representation = representation::event(&before, public_url);
    let body = &context.submission.body;
    let read = read_body(body, &reference, &before, representation)?;
    update(context, before, read, true).await
}

pub(super) async fn page(
    context: &mut SubmissionContext<'_>,
    handle: &str,
) -> Result<AcceptedSubmission, Fault> {
    let before = context.lock_own_page(handle).await?;
    let reference = ReferenceData::at(context.now);
    let public_url = &context.dependencies.public_url;
    let representation = representation::page(&before, public_url);
    let body = &context.submission.body;
    let read = read_body(body, &reference, &before, representation)?;
    update(context, before, read, true).await
}

fn precondition_failed() -> Fault {
    Fault::new(
        Code::PreconditionFailed,
        "The listing is not at a revision that If-Match names: it has changed since, or the tag is a weak one (`W/`), which never matches. \
         Read it again and send the change with its new ETag.",
    )
}

/// Saves a change, within the limits of the account. A rejected listing becomes pending again, and counts as a submission.
pub(super) async fn update<C: Clone + PartialEq>(
    context: &mut SubmissionContext<'_>,
    before: Listing<C>,
    content: C,
    is_under_public_page: bool,
) -> Result<AcceptedSubmission, Fault>
where
    Listing<C>: SubmittedListing,
{
    let after = before.apply_account_edit(content, context.now);
    let after = after.map(|after| after.under_page(is_under_public_page, context.now));
    let change_kind = after
        .as_ref()
        .map(|after| match (before.state, after.state) {
            (ListingState::Rejected, ListingState::Pending) => ChangeKind::Submitted,
            _ => ChangeKind::Updated,
        });
    if change_kind == Some(ChangeKind::Submitted) {
        let author = context.submission.author.account;
        let submitter = before.submitter.unwrap_or(author);
        context.check_pending_limit(submitter).await?;
    }
    if context.submission.target.always_counts() {
        context.check_daily_limit()?;
    } else if after.is_some() && before.is_visible() {
        context.count_write().await?;
    }
    // The last check: a change that is refused anyway is refused for that reason.
    if let Some(revisions) = &context.submission.precondition
        && !revisions.contains(&before.revision)
    {
        return Err(precondition_failed());
    }
    let Some(after) = after else {
        return Ok(context.accept(None, &before, None));
    };
    if !context.is_dry_run {
        let actor = Actor::Account(context.submission.author.account);
        let now = context.now;
        record_change::update(context.connection, &before, &after, actor, None, now).await?;
    }
    Ok(context.accept(Some(&before), &after, change_kind))
}
