//! New pages, games and events of accounts.

use kit::{Fault, ids};

use super::context::{AcceptedSubmission, SubmissionContext};
use crate::domain::entity::Entity;
use crate::domain::fields;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::domain::state::ListingState;
use crate::store::page_owners::{self, GrantSource};
use crate::store::{accounts, listings};
use crate::write::limits;
use crate::write::record_change::{self, Actor};

/// Submits a listing: a game under a page of the account, or a page, which the account then owns.
pub(super) async fn create(
    context: &mut SubmissionContext<'_>,
    entity: Entity,
) -> Result<AcceptedSubmission, Fault> {
    let (author, now) = (context.submission.author.account, context.now);
    let body = &context.submission.body;
    let reference = context.reference_data(entity, None).await?;
    let content = fields::read_body(entity, body, &reference, None);
    let mut content = content.map_err(Fault::invalid)?;
    let mut is_under_public_page = true;
    match &mut content {
        Content::Game(game) => {
            let handle = game::creator(body).unwrap_or_default();
            let page = context.page_with_handle(handle).await?;
            game.page_id = page.id;
            is_under_public_page = page.state == ListingState::Published;
        }
        Content::Page(page) if !page.handle.is_empty() => {
            check_handle(context, &page.handle).await?;
        }
        Content::Page(_) | Content::Event(_) => {}
    }
    context.check_pending_limit(author).await?;
    if entity == Entity::Page {
        let unpublished = accounts::count_unpublished_pages(context.connection, author).await?;
        limits::check_unpublished_pages(unpublished)?;
    } else {
        context.check_daily_limit()?;
    }
    if content.name().is_empty() {
        let base = slug::from_title(content.title());
        let base = base.unwrap_or_else(|| entity.as_str().to_owned());
        // The answer of a dry run has no slug.
        let name = if context.is_dry_run {
            base
        } else {
            context.free_slug(entity, &base).await?
        };
        content.set_name(name);
    }
    let listing = Listing::submitted(ids::row_id(), author, content, now);
    let listing = listing.under_page(is_under_public_page, now);
    if !context.is_dry_run {
        let actor = Actor::Account(author);
        let revision = record_change::revision(None, &listing, actor, None)?;
        record_change::save(context.connection, &listing, revision, now).await?;
        if entity == Entity::Page {
            let source = GrantSource::Submission;
            page_owners::add(context.connection, listing.id, author, source, now).await?;
        }
    }
    Ok(context.accept(None, &listing, true, &[author]))
}

/// Refuses the handle of another page.
async fn check_handle(context: &mut SubmissionContext<'_>, handle: &str) -> Result<(), Fault> {
    context.lock_names(Entity::Page).await?;
    let wanted = [handle.to_owned()];
    let taken = listings::names(context.connection, Entity::Page, Mode::Live, &wanted).await?;
    if taken.is_empty() {
        return Ok(());
    }
    Err(Fault::invalid_field(
        "handle",
        "It is taken: choose another.",
    ))
}
