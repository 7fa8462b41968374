//! The kinds of listings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingKind {
    Page,
    Game,
    Event,
}

impl ListingKind {
    pub const ALL: [Self; 3] = [Self::Page, Self::Game, Self::Event];

    /// As paths and services name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// With its article, as in `an event`.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Page => "a page",
            Self::Game => "a game",
            Self::Event => "an event",
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
