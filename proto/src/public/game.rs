//! Games (§2.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// A row of `GET /games`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRow {
    /// Never changes.
    pub slug: String,
    /// As its maker writes it.
    pub title: String,
    /// The pitch in one line; empty when there is none.
    pub tagline: String,
    /// Address of the cover picture.
    pub cover_url: Option<String>,
    /// Genre keys.
    pub genres: Vec<String>,
    /// Platform keys.
    pub platforms: Vec<String>,
    /// `in_development`, `early_access` or `released`.
    pub stage: String,
    /// Year of the first release, or the one aimed at.
    pub release_year: i32,
    /// Featured games come first in lists.
    pub featured: bool,
    /// Who made it.
    pub creator: GameCreator,
    /// Two letters; its creator's.
    pub country_code: String,
    /// Its creator's; empty when not known.
    pub city: String,
    /// Public page address.
    pub url: String,
    /// When it was listed.
    pub created_at: Timestamp,
}

/// The maker of a game, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCreator {
    /// Handle of the creator's page.
    pub handle: String,
    /// Name of the studio or person.
    pub name: String,
}

/// `GET /games/{slug}`: the row, and what only a single game carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: GameRow,
    /// The pitch at length; empty when there is none.
    pub description: String,
    /// Pictures of the game, in order.
    pub screenshots: Vec<Screenshot>,
    /// Link key (§2.2) to https address.
    pub links: BTreeMap<String, String>,
    /// Who did what.
    pub credits: Vec<Credit>,
    /// Address of a film.
    pub trailer_url: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A picture of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screenshot {
    /// Address of the picture.
    pub url: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// What it shows, for those who cannot see it.
    pub alt: String,
}

/// One line of a game's credits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// Handle of the person's own page, if there is one.
    pub handle: Option<String>,
    /// Name as credited.
    pub name: String,
    /// What the person did.
    pub role: String,
}
