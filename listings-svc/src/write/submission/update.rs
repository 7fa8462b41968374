//! Changes of pages, games and events by their accounts.

use kit::{Code, Fault};

use super::context::{AcceptedSubmission, SubmissionContext};
use super::representation;
use crate::domain::entity::Entity;
use crate::domain::fields;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::page::hidden_note;
use crate::domain::state::ListingState;
use crate::store::listings;
use crate::store::page_owners::OwnedPage;
use crate::write::limits::taken_down;
use crate::write::record_change::{self, Actor};

pub(super) async fn update(
    context: &mut SubmissionContext<'_>,
    entity: Entity,
    name: &str,
) -> Result<AcceptedSubmission, Fault> {
    let (before, page) = context.lock_own(entity, name).await?;
    let reference = context.reference_data(entity, Some(&before)).await?;
    let public_url = &context.dependencies.public_url;
    let representation = representation::read_only_fields(&before, page.as_ref(), public_url);
    let body = &context.submission.body;
    let content = fields::read_body(entity, body, &reference, Some((&before, representation)));
    let mut content = content.map_err(Fault::invalid)?;
    let (mut is_under_public_page, mut note) = (!before.hidden_by_page, None);
    if let (Content::Game(game), Some(page)) = (&mut content, page) {
        let page = page_after(context, &before, page).await?;
        if page.id != game.page_id {
            game.page_id = page.id;
            is_under_public_page = page.state == ListingState::Published;
        }
        note = hidden_note(&page.handle, page.state);
    }
    let mut accepted = save(context, before, content, is_under_public_page).await?;
    accepted.receipt.note = note;
    Ok(accepted)
}

/// The page of a game after a change, which may move the game to another page.
async fn page_after(
    context: &mut SubmissionContext<'_>,
    before: &Listing,
    page: OwnedPage,
) -> Result<OwnedPage, Fault> {
    match game::creator(&context.submission.body) {
        Some(handle) if handle != page.handle => {
            // A game that was taken down with its page does not return by a move.
            if before.state == ListingState::Published {
                check_not_taken_down(&page)?;
            }
            context.page_with_handle(handle).await
        }
        Some(_) | None => {
            if before.state == ListingState::Rejected {
                check_not_taken_down(&page)?;
            }
            Ok(page)
        }
    }
}

/// Refuses to submit a game under a page that was taken down.
pub(super) fn check_not_taken_down(page: &OwnedPage) -> Result<(), Fault> {
    if page.state == ListingState::Removed {
        return Err(taken_down(&page.handle));
    }
    Ok(())
}

fn precondition_failed() -> Fault {
    Fault::new(
        Code::PreconditionFailed,
        "The listing is not at a revision that If-Match names: it has changed since, or the tag is a weak one (`W/`), which never matches. \
         Read it again and send the change with its new ETag.",
    )
}

/// Saves a change, within the limits of the account. A rejected listing becomes pending again, and counts as a submission.
pub(super) async fn save(
    context: &mut SubmissionContext<'_>,
    before: Listing,
    content: Content,
    is_under_public_page: bool,
) -> Result<AcceptedSubmission, Fault> {
    let after = before.apply_account_edit(content, context.now);
    let after = after.map(|after| after.under_page(is_under_public_page, context.now));
    if after.is_some() && before.state == ListingState::Rejected {
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
        return Ok(context.accept(None, &before, false, &[]));
    };
    if !context.is_dry_run {
        let actor = Actor::Account(context.submission.author.account);
        let now = context.now;
        let revision = record_change::revision(Some(&before), &after, actor, None)?;
        record_change::save(context.connection, &after, revision, now).await?;
    }
    let owners = listings::owners(context.connection, after.id).await?;
    Ok(context.accept(Some(&before), &after, true, &owners))
}
