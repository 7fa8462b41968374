//! Listings whose public pages have moved, inside the writer's transaction: they are put on the feed anew, and stay as they are.

use kit::feed::{Applied, NewChange};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::{ChangeKind, PublicUrl, Publish};
use crate::store::{events, games, pages};

/// Listings put on the feed in one go.
const BATCH: i64 = 200;

/// Puts the next few listings of a kind on the feed; tells the last of them, `None` when there were no more.
pub(crate) async fn republish(
    connection: &mut PgConnection,
    entity: Entity,
    after: Uuid,
    public_url: &PublicUrl,
) -> Result<Applied<Option<Uuid>>, sqlx::Error> {
    let (last, changes) = match entity {
        Entity::Page => last_and_changes(
            &pages::lock_batch(connection, after, BATCH).await?,
            public_url,
        ),
        Entity::Game => last_and_changes(
            &games::lock_batch(connection, after, BATCH).await?,
            public_url,
        ),
        Entity::Event => last_and_changes(
            &events::lock_batch(connection, after, BATCH).await?,
            public_url,
        ),
        // These have no public page.
        Entity::Genre | Entity::Country | Entity::City => (None, Vec::new()),
    };
    Ok(Applied::Done(last, changes))
}

/// The last id and the changes.
fn last_and_changes<T: Publish>(
    listings: &[T],
    public_url: &PublicUrl,
) -> (Option<Uuid>, Vec<NewChange>) {
    let last = listings
        .last()
        .and_then(|listing| listing.id().parse().ok());
    let changes = listings
        .iter()
        .map(|listing| listing.change(ChangeKind::Moved, false, public_url))
        .collect();
    (last, changes)
}
