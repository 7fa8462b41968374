//! Publishes listings again whose URLs have changed. The listings stay as they are.

use kit::Fault;
use uuid::Uuid;

use super::CommandDependencies;
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
pub async fn republish(
    commands: &CommandDependencies,
    entity: Entity,
    after: Uuid,
) -> Result<Option<Uuid>, Fault> {
    match entity {
        Entity::Page => batch::<Page>(commands, after).await,
        Entity::Game => batch::<Game>(commands, after).await,
        Entity::Event => batch::<Event>(commands, after).await,
        // These kinds have no public page.
        Entity::Genre | Entity::Country | Entity::City => Ok(None),
    }
}

async fn batch<C>(commands: &CommandDependencies, after: Uuid) -> Result<Option<Uuid>, Fault>
where
    Listing<C>: ListingTable + Publish,
{
    let mut context = commands.begin().await?;
    let listings = Listing::<C>::lock_batch(&mut context.connection, after, BATCH).await?;
    let last = listings.last().map(|listing| listing.id);
    let changes = (listings.iter())
        .map(|listing| listing.change(ChangeKind::Moved, false, &commands.public_url))
        .collect();
    context.commit(changes).await?;
    Ok(last)
}
