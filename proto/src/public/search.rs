//! Search results (§2.5).

use serde::{Deserialize, Serialize};

/// A row of `GET /search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// As the filter has it: `games`, `creators`, `events` or `cities`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Under what it is read.
    #[serde(flatten)]
    pub address: SearchAddress,
    /// Title or name.
    pub name: String,
    /// The pitch in one line; empty for what has none.
    pub tagline: String,
    /// Two letters.
    pub country_code: String,
    /// Public page address.
    pub url: String,
}

/// A creator has a handle, everything else a slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchAddress {
    /// Of a game, an event or a city.
    Slug(String),
    /// Of a creator.
    Handle(String),
}
