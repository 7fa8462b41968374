//! Publishes listings again whose URLs have changed, inside the writer's transaction. The listings stay as they are.

use kit::feed::ApplyResult;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::feed::{ChangeKind, PublicUrl, Publish};
use crate::store::ListingTable;

/// Listings per command.
const BATCH: i64 = 200;

/// Publishes the next listings of a kind. Returns the id of the last one; `None` when there were no more.
pub(crate) async fn republish(
    connection: &mut PgConnection,
    entity: Entity,
    after: Uuid,
    public_url: &PublicUrl,
) -> ApplyResult<Option<Uuid>> {
    match entity {
        Entity::Page => batch::<Page>(connection, after, public_url).await,
        Entity::Game => batch::<Game>(connection, after, public_url).await,
        Entity::Event => batch::<Event>(connection, after, public_url).await,
        // These kinds have no public page.
        Entity::Genre | Entity::Country | Entity::City => Ok((None, Vec::new())),
    }
}

async fn batch<C>(
    connection: &mut PgConnection,
    after: Uuid,
    public_url: &PublicUrl,
) -> ApplyResult<Option<Uuid>>
where
    Listing<C>: ListingTable + Publish,
{
    let listings = Listing::<C>::lock_batch(connection, after, BATCH).await?;
    let last = listings.last().map(|listing| listing.id);
    let changes = (listings.iter())
        .map(|listing| listing.change(ChangeKind::Moved, false, public_url))
        .collect();
    Ok((last, changes))
}
