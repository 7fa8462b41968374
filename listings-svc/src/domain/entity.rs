//! The kinds of thing that listings-svc owns.

/// A kind of thing: a genre, say, or a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A kind of game.
    Genre,
    /// A country that listings may be in.
    Country,
    /// A place of the gazetteer.
    City,
    /// A studio's or a person's page.
    Page,
    /// A game.
    Game,
    /// An event.
    Event,
}

impl Entity {
    /// All of them; each comes after those it refers to.
    pub const ALL: [Self; 6] = [
        Self::Genre,
        Self::Country,
        Self::City,
        Self::Page,
        Self::Game,
        Self::Event,
    ];

    /// As it is called on the feed and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Genre => "genre",
            Self::Country => "country",
            Self::City => "city",
            Self::Page => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.as_str() == name)
    }

    /// Whether it belongs to one of the two worlds; the gazetteer serves both.
    pub const fn is_listing(self) -> bool {
        matches!(self, Self::Page | Self::Game | Self::Event)
    }
}
