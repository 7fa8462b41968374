//! Publishes listings again whose URLs have changed, inside the writer's transaction. The listings stay as they are.

use kit::feed::{ApplyResult, NewChange};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::{ChangeKind, PublicUrl, Publish};
use crate::store::{events, games, pages};

/// Listings per command.
const BATCH: i64 = 200;

/// Publishes the next listings of a kind. Returns the id of the last one; `None` when there were no more.
pub(crate) async fn republish(
    connection: &mut PgConnection,
    entity: Entity,
    after: Uuid,
    public_url: &PublicUrl,
) -> ApplyResult<Option<Uuid>> {
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
        // These kinds have no public page.
        Entity::Genre | Entity::Country | Entity::City => (None, Vec::new()),
    };
    Ok((last, changes))
}

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
