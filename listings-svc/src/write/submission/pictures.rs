//! An account changes the pictures of a listing of its own.

use kit::Fault;

use super::context::{AcceptedSubmission, SubmissionContext, SubmittedListing};
use super::update::update;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::state::ListingState;
use crate::store::page_owners::PageRef;
use crate::store::pictures;
use crate::write::absent::no_own_listing;
use crate::write::limits::taken_down;
use crate::write::pictures::{HasPictures, PictureOperation};

/// A change of a public listing is one of the day's writes (§8); uploads have a limit of their own.
pub(super) async fn apply(
    context: &mut SubmissionContext<'_>,
    entity: Entity,
    name: &str,
    operation: &PictureOperation,
) -> Result<AcceptedSubmission, Fault> {
    match entity {
        Entity::Page => {
            let page = context.lock_own_page(name).await?;
            edit(context, page, operation, true).await
        }
        Entity::Game => {
            let found = context.lock_game(name).await?;
            let (game, page) = found.ok_or_else(|| no_own_listing(Entity::Game))?;
            // A change of a rejected game is a submission (§3).
            if game.state == ListingState::Rejected {
                let page = context.share_page(PageRef::Id(page.id)).await?;
                let page = page.ok_or_else(|| no_own_listing(Entity::Game))?;
                if page.state == ListingState::Removed {
                    return Err(taken_down(&page.handle));
                }
            }
            let is_under_public_page = game.is_shown_under(page.state);
            edit(context, game, operation, is_under_public_page).await
        }
        Entity::Event => Err(no_own_listing(entity)),
    }
}

async fn edit<C: HasPictures + PartialEq>(
    context: &mut SubmissionContext<'_>,
    before: Listing<C>,
    operation: &PictureOperation,
    is_under_public_page: bool,
) -> Result<AcceptedSubmission, Fault>
where
    Listing<C>: SubmittedListing,
{
    let content = before.content.with_pictures(operation)?;
    let accepted = update(context, before, content, is_under_public_page).await?;
    if accepted.change.is_some()
        && let Some(picture) = operation.added()
        && !pictures::lock(context.connection, picture).await?
    {
        return Err(picture_gone());
    }
    Ok(accepted)
}

/// The sweep or a purge was faster than the change.
fn picture_gone() -> Fault {
    Fault::invalid_field(
        "picture",
        "This picture is not there any more: upload it again.",
    )
}
