//! Publishes listings again whose URLs have changed, inside the writer's transaction. The listings stay as they are.

use kit::feed::ApplyResult;
use uuid::Uuid;

use super::CommandContext;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::feed::{ChangeKind, Publish};
use crate::store::ListingTable;

/// Listings per command.
const BATCH: i64 = 200;

/// Publishes the next listings of a kind. Returns the id of the last one; `None` when there were no more.
pub(super) async fn republish(
    context: &mut CommandContext<'_>,
    entity: Entity,
    after: Uuid,
) -> ApplyResult<Option<Uuid>> {
    match entity {
        Entity::Page => batch::<Page>(context, after).await,
        Entity::Game => batch::<Game>(context, after).await,
        Entity::Event => batch::<Event>(context, after).await,
        // These kinds have no public page.
        Entity::Genre | Entity::Country | Entity::City => Ok((None, Vec::new())),
    }
}

async fn batch<C>(context: &mut CommandContext<'_>, after: Uuid) -> ApplyResult<Option<Uuid>>
where
    Listing<C>: ListingTable + Publish,
{
    let listings = Listing::<C>::lock_batch(context.connection, after, BATCH).await?;
    let last = listings.last().map(|listing| listing.id);
    let changes = (listings.iter())
        .map(|listing| listing.change(ChangeKind::Moved, false, &context.dependencies.public_url))
        .collect();
    Ok((last, changes))
}
