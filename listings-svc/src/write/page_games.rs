//! The games of a page change with it: a game is hidden while its page is not public.

use kit::Fault;
use kit::feed::{NewChange, Transaction};
use uuid::Uuid;

use super::record_change::save_all;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::feed::listing_change;
use crate::store::listings;

/// The changes to publish of a listing, which is locked, and whose owners these are. Hides or shows the games of a page that the public no longer sees, or sees again.
pub(super) async fn changes(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
    owners: &[Uuid],
) -> Result<Vec<NewChange>, Fault> {
    let mut changes = vec![listing_change(Some(before), after, owners)];
    let is_public = after.is_visible();
    if after.entity() != Entity::Page || before.is_visible() == is_public {
        return Ok(changes);
    }
    let now = transaction.now;
    let mut games = listings::lock_games(transaction, after.id).await?;
    for game in &mut games {
        let after = game.clone().under_page(is_public, now);
        changes.push(listing_change(Some(game), &after, &[]));
        *game = after;
    }
    // The games themselves do not change: they have no revisions.
    save_all(transaction, &games, &[], now).await?;
    Ok(changes)
}
