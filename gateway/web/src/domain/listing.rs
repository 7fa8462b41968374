//! The kinds of listings.

use serde::Deserialize;

/// As paths name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListingKind {
    Page,
    Game,
    Event,
}

impl ListingKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }

    /// The list of the API that has such listings.
    pub const fn api_list(self) -> &'static str {
        match self {
            Self::Page => "creators",
            Self::Game => "games",
            Self::Event => "events",
        }
    }
}
