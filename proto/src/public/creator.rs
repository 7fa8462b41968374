//! Creators: studios and persons (§2.4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CitySlug, CountryCode, CreatorKind, CreatorLinks, GameRow, Slug};

/// A row of `GET /creators`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "handle": "retroepic-software", "name": "RetroEpic Software", "kind": "studio", "roles": ["developer"], "tagline": "",
    "avatar_url": null, "country_code": "ZA", "city": "Cape Town", "city_slug": "cape-town", "verified": true,
    "url": "https://mchezo.example/creators/retroepic-software",
}))]
pub struct CreatorRow {
    /// Never changes.
    #[schema(value_type = Slug)]
    pub handle: String,
    /// Of the studio or person.
    pub name: String,
    /// `studio` or `person`.
    #[schema(value_type = CreatorKind)]
    pub kind: String,
    /// Role keys such as `developer` or `composer`.
    pub roles: Vec<String>,
    /// The pitch in one line; empty when there is none.
    pub tagline: String,
    /// Address of the picture.
    #[schema(required, format = "uri")]
    pub avatar_url: Option<String>,
    /// Two letters.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Empty when not known.
    pub city: String,
    /// Empty when the city is.
    #[schema(value_type = CitySlug)]
    pub city_slug: String,
    /// Whether staff know that the page is its owner's.
    pub verified: bool,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
}

/// `GET /creators/{handle}`: the row, and what only a single creator carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "handle": "retroepic-software", "name": "RetroEpic Software", "kind": "studio", "roles": ["developer"], "tagline": "",
    "avatar_url": null, "country_code": "ZA", "city": "Cape Town", "city_slug": "cape-town", "verified": true,
    "url": "https://mchezo.example/creators/retroepic-software", "bio": "A studio by the sea.",
    "links": {"website": "https://retroepic.example"}, "games": [],
}))]
pub struct Creator {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: CreatorRow,
    /// Who they are, at length; empty when there is nothing.
    pub bio: String,
    /// Link key (those of games, and `facebook`, `instagram`, `x`, `youtube`, `other`) to https address.
    #[schema(value_type = CreatorLinks)]
    pub links: BTreeMap<String, String>,
    /// Published games, in the order of `GET /games`.
    pub games: Vec<GameRow>,
}
