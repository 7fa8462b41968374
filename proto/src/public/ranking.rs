//! Rows of ranking boards (§2.5).

use serde::{Deserialize, Serialize};

/// A row of `GET /rankings/{kind}/{board}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankingRow {
    /// From 1, without gaps or ties.
    pub rank: u64,
    /// On the snapshot before the latest; 0 when it was not on it.
    pub previous_rank: u64,
    /// In the board's window.
    pub wins: u64,
    /// Title or name.
    pub name: String,
    /// The pitch in one line; empty for what has none.
    pub tagline: String,
    /// Genres of a game, roles of a creator.
    pub tags: Vec<String>,
    /// Two letters.
    pub country_code: String,
    /// Public page address.
    pub url: String,
}
