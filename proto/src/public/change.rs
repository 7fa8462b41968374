//! What has changed among the public listings (§10.15).

use serde::{Deserialize, Serialize};

use super::{CreatorRow, Event, GameRow, SearchAddress};

/// A row of `GET /changes`: the last change of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListingChange {
    /// `games`, `creators` or `events`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Under what it is read.
    #[serde(flatten)]
    pub address: SearchAddress,
    /// `published`, `updated` or `removed`.
    pub change: String,
    /// As its list has it now; null when it was removed.
    pub row: Option<ChangedRow>,
}

/// The row of a listing, as the list of its type has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChangedRow {
    /// Of a game.
    Game(GameRow),
    /// Of a creator.
    Creator(CreatorRow),
    /// Of an event.
    Event(Event),
}
