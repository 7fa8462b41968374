//! Listings whose public pages have moved, inside the writer's transaction: they are put on the feed anew, and stay as they are.

use kit::feed::{Applied, NewChange};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::{events, games, pages};

/// Listings put on the feed in one go.
const PORTION: i64 = 200;

/// Puts the next few listings of a kind on the feed; tells the last of them, `None` when there were no more.
pub(crate) async fn republish(
    connection: &mut PgConnection,
    entity: Entity,
    after: Uuid,
    addresses: &PublicUrl,
) -> Result<Applied<Option<Uuid>>, sqlx::Error> {
    let (last, changes) = match entity {
        Entity::Page => moved(&pages::walk(connection, after, PORTION).await?, addresses),
        Entity::Game => moved(&games::walk(connection, after, PORTION).await?, addresses),
        Entity::Event => moved(&events::walk(connection, after, PORTION).await?, addresses),
        // These have no public page.
        Entity::Genre | Entity::Country | Entity::City => (None, Vec::new()),
    };
    Ok(Applied::Done(last, changes))
}

/// The last id and the changes.
fn moved<T: Publish>(listings: &[T], addresses: &PublicUrl) -> (Option<Uuid>, Vec<NewChange>) {
    let last = listings
        .last()
        .and_then(|listing| listing.id().parse().ok());
    let changes = listings
        .iter()
        .map(|listing| listing.change(Happened::Moved, false, addresses))
        .collect();
    (last, changes)
}
