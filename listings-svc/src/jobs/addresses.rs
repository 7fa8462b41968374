//! Keeps the addresses on the feed up to date.
//!
//! Listings travel with the address of their public page. When the setting `public_url` has changed, all of them are put on the feed
//! anew; they themselves are as they were, so that this is no revision and nobody is told.

use kit::Fault;
use kit::feed::{Applied, NewChange};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::feed::{Happened, PublicUrl, Publish};
use crate::import::Importer;
use crate::store::{events, games, pages};
use crate::write::{Done, Write};

/// Listings put on the feed in one go.
const PORTION: i64 = 200;

/// Puts all listings on the feed with their addresses of now.
pub async fn move_all(importer: &Importer) -> Result<(), Fault> {
    for entity in Entity::ALL.into_iter().filter(|e| e.is_listing()) {
        let mut after = Some(Uuid::nil());
        while let Some(id) = after {
            let (done, _) = importer.writer().write(Write::Move(entity, id)).await?;
            after = match done {
                Done::Moved(last) => last,
                Done::Imported | Done::Turned | Done::Sent(_) | Done::Illustrated => None,
            };
        }
    }
    Ok(())
}

/// Puts the next few listings of a kind on the feed.
pub async fn republish(
    connection: &mut PgConnection,
    entity: Entity,
    after: Uuid,
    addresses: &PublicUrl,
) -> Result<Applied<Done>, sqlx::Error> {
    let (last, changes) = match entity {
        Entity::Page => moved(&pages::walk(connection, after, PORTION).await?, addresses),
        Entity::Game => moved(&games::walk(connection, after, PORTION).await?, addresses),
        Entity::Event => moved(&events::walk(connection, after, PORTION).await?, addresses),
        // These have no public page.
        Entity::Genre | Entity::Country | Entity::City => (None, Vec::new()),
    };
    Ok(Applied::Done(Done::Moved(last), changes))
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
