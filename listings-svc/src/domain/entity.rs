//! The kinds of entity that listings-svc owns.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    Genre,
    Country,
    City,
    /// The page of a studio or a person.
    Page,
    Game,
    Event,
}

impl Entity {
    /// Every kind, each after the kinds that it refers to.
    pub const ALL: [Self; 6] = [
        Self::Genre,
        Self::Country,
        Self::City,
        Self::Page,
        Self::Game,
        Self::Event,
    ];

    /// The name on the feed and in the database.
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

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.as_str() == name)
    }

    /// Whether the kind belongs to the live or the test dataset; the gazetteer serves both.
    pub const fn is_listing(self) -> bool {
        matches!(self, Self::Page | Self::Game | Self::Event)
    }
}
