//! What has changed among the public listings (§10.15).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ChangeKind, ChangedListingKind, CreatorRow, Event, GameRow, SearchAddress};

/// A row of `GET /changes`: the last change of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"type": "games", "slug": "karoo-drift", "change": "removed", "row": null}))]
pub struct ListingChange {
    /// `games`, `creators` or `events`.
    #[serde(rename = "type")]
    #[schema(value_type = ChangedListingKind)]
    pub kind: String,
    /// Under what it is read.
    #[serde(flatten)]
    pub address: SearchAddress,
    /// `published`, `updated` or `removed`.
    #[schema(value_type = ChangeKind)]
    pub change: String,
    /// As its list has it now; null when it was removed.
    #[schema(required)]
    pub row: Option<ChangedRow>,
}

/// The row of a listing, as the list of its type has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ChangedRow {
    /// Of a game.
    Game(GameRow),
    /// Of a creator.
    Creator(CreatorRow),
    /// Of an event.
    Event(Event),
}
