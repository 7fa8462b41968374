//! Rows of ranking boards (§2.5).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::CountryCode;

/// A row of `GET /rankings/{kind}/{board}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "rank": 1, "previous_rank": 3, "wins": 42, "name": "Karoo Drift", "tagline": "Long roads, little water.", "tags": ["racing"],
    "country_code": "ZA", "url": "https://mchezo.example/games/karoo-drift",
}))]
pub struct RankingRow {
    /// From 1, without gaps or ties.
    #[schema(minimum = 1)]
    pub rank: u64,
    /// On the snapshot before the latest; 0 when it was not on it.
    pub previous_rank: u64,
    /// Wins in the board's window.
    pub wins: u64,
    /// Title or name.
    pub name: String,
    /// The pitch in one line; empty for what has none.
    pub tagline: String,
    /// Genres of a game, roles of a creator.
    pub tags: Vec<String>,
    /// Two letters.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
}
