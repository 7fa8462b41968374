//! Creators: studios and persons (§2.4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::GameRow;

/// A row of `GET /creators`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatorRow {
    /// Never changes.
    pub handle: String,
    /// Of the studio or person.
    pub name: String,
    /// `studio` or `person`.
    pub kind: String,
    /// Role keys such as `developer` or `composer`.
    pub roles: Vec<String>,
    /// The pitch in one line; empty when there is none.
    pub tagline: String,
    /// Address of the picture.
    pub avatar_url: Option<String>,
    /// Two letters.
    pub country_code: String,
    /// Empty when not known.
    pub city: String,
    /// Empty when the city is.
    pub city_slug: String,
    /// Whether staff know that the page is its owner's.
    pub verified: bool,
    /// Public page address.
    pub url: String,
}

/// `GET /creators/{handle}`: the row, and what only a single creator carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Creator {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: CreatorRow,
    /// Who they are, at length; empty when there is nothing.
    pub bio: String,
    /// Link key (§2.2, and `facebook`, `instagram`, `x`, `youtube`, `other`) to https address.
    pub links: BTreeMap<String, String>,
    /// Published games, in the order of `GET /games`.
    pub games: Vec<GameRow>,
}
