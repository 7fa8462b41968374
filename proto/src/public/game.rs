//! Games (§2.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CountryCode, GameLinks, GameStage, Platform, Slug, Timestamp};

/// A row of `GET /games`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "slug": "karoo-drift", "title": "Karoo Drift", "tagline": "Long roads, little water.", "cover_url": null,
    "genres": ["racing"], "platforms": ["web", "android"], "stage": "early_access", "release_year": 2026, "featured": false,
    "creator": {"handle": "retroepic-software", "name": "RetroEpic Software"}, "country_code": "ZA", "city": "Cape Town",
    "url": "https://mchezo.example/games/karoo-drift", "created_at": "2026-03-01T08:00:00.000Z",
}))]
pub struct GameRow {
    /// Never changes.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// As its maker writes it.
    pub title: String,
    /// The pitch in one line; empty when there is none.
    pub tagline: String,
    /// Address of the cover picture.
    #[schema(required, format = "uri")]
    pub cover_url: Option<String>,
    /// Genre keys.
    #[schema(value_type = std::collections::BTreeSet<Slug>, max_items = 3)]
    pub genres: Vec<String>,
    /// Platform keys.
    #[schema(value_type = std::collections::BTreeSet<Platform>)]
    pub platforms: Vec<String>,
    /// `in_development`, `early_access` or `released`.
    #[schema(value_type = GameStage)]
    pub stage: String,
    /// Year of the first release, or the one aimed at.
    pub release_year: i32,
    /// Featured games come first in lists.
    pub featured: bool,
    /// Who made it.
    pub creator: GameCreator,
    /// Two letters; its creator's.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Its creator's; empty when not known.
    pub city: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// When it was submitted, or the time that staff gave in an import. The first publication may be later.
    pub created_at: Timestamp,
}

/// The maker of a game, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameCreator {
    /// Handle of the creator's page.
    #[schema(value_type = Slug)]
    pub handle: String,
    /// Name of the studio or person.
    pub name: String,
}

/// `GET /games/{slug}`: the row, and what only a single game carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "slug": "karoo-drift", "title": "Karoo Drift", "tagline": "Long roads, little water.", "cover_url": null,
    "genres": ["racing"], "platforms": ["web", "android"], "stage": "early_access", "release_year": 2026, "featured": false,
    "creator": {"handle": "retroepic-software", "name": "RetroEpic Software"}, "country_code": "ZA", "city": "Cape Town",
    "url": "https://mchezo.example/games/karoo-drift", "created_at": "2026-03-01T08:00:00.000Z",
    "description": "A race of nine hundred kilometres, and one well.",
    "screenshots": [{"url": "https://mchezo.example/pictures/karoo-1.jpg", "width": 1280, "height": 720, "alt": "A car on a dirt road"}],
    "links": {"website": "https://karoo-drift.example"}, "credits": [{"handle": null, "name": "Lerato M.", "role": "composer"}],
    "trailer_url": null, "updated_at": "2026-03-02T08:00:00.000Z",
}))]
pub struct Game {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: GameRow,
    /// The pitch at length; empty when there is none.
    pub description: String,
    /// Pictures of the game, in order.
    pub screenshots: Vec<Screenshot>,
    /// Link key to https address.
    #[schema(value_type = GameLinks)]
    pub links: BTreeMap<String, String>,
    /// Who did what.
    pub credits: Vec<Credit>,
    /// Address of a video.
    #[schema(required, format = "uri")]
    pub trailer_url: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A picture of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Screenshot {
    /// Address of the picture.
    #[schema(format = "uri")]
    pub url: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// What it shows, for those who cannot see it.
    pub alt: String,
}

/// One line of a game's credits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Credit {
    /// Handle of the person's own page, if there is one.
    #[schema(required, value_type = Option<Slug>)]
    pub handle: Option<String>,
    /// Name as credited.
    pub name: String,
    /// What the person did.
    pub role: String,
}
