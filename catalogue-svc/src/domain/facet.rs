//! Filter values: an index has a set of rows for each.

use std::sync::Arc;

use contracts::public::{CREATOR_KINDS, EVENT_KINDS, PLATFORMS, STAGES};
use contracts::reference_data::genre_number;

/// A value that a listing may have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// A game's genre, by its index in [`GENRES`](contracts::reference_data::GENRES).
    Genre(u8),
    /// A game's platform, by its index in [`PLATFORMS`].
    Platform(u8),
    /// A country, in upper case. A game has the country of its creator.
    Country([u8; 2]),
    /// A game's stage, by its index in [`STAGES`].
    Stage(u8),
    /// The kind of a creator, by its index in [`CREATOR_KINDS`].
    CreatorKind(u8),
    /// The kind of an event, by its index in [`EVENT_KINDS`].
    EventKind(u8),
    /// A game's creator, by handle.
    Creator(Arc<str>),
    /// A creator's role, by key. There is no list of all roles: an unknown one matches no listing.
    Role(Arc<str>),
    /// The slug of its city. A game has the city of its creator.
    City(Arc<str>),
    /// The number of words of its title or name, up to [`words::LONGEST_TITLE`]: a search lists shorter titles first.
    ///
    /// [`words::LONGEST_TITLE`]: crate::domain::words::LONGEST_TITLE
    TitleWords(u8),
}

impl Facet {
    pub fn genre(key: &str) -> Option<Self> {
        genre(key).map(Self::Genre)
    }

    pub fn platform(key: &str) -> Option<Self> {
        platform(key).map(Self::Platform)
    }

    pub fn stage(key: &str) -> Option<Self> {
        stage(key).map(Self::Stage)
    }

    pub fn creator_kind(key: &str) -> Option<Self> {
        index_of(&CREATOR_KINDS, key).map(Self::CreatorKind)
    }

    pub fn event_kind(key: &str) -> Option<Self> {
        index_of(&EVENT_KINDS, key).map(Self::EventKind)
    }

    /// The facet for a country code, in either case. It is not checked whether there is such a country.
    pub fn country(code: &str) -> Option<Self> {
        let letters: [u8; 2] = code.as_bytes().try_into().ok()?;
        letters
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Self::Country(letters.map(|letter| letter.to_ascii_uppercase())))
    }
}

/// The index of the genre called `key`.
pub fn genre(key: &str) -> Option<u8> {
    u8::try_from(genre_number(key)?).ok()
}

/// The index of the platform called `key` in [`PLATFORMS`].
pub fn platform(key: &str) -> Option<u8> {
    index_of(&PLATFORMS, key)
}

/// The index of the stage called `key` in [`STAGES`].
pub fn stage(key: &str) -> Option<u8> {
    index_of(&STAGES, key)
}

fn index_of(values: &[&str], key: &str) -> Option<u8> {
    let index = values.iter().position(|value| *value == key)?;
    u8::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        assert_eq!(Facet::genre("adventure"), Some(Facet::Genre(1)));
        assert_eq!(Facet::genre("chess"), None);
        assert_eq!(Facet::platform("vr"), Some(Facet::Platform(9)));
        assert_eq!(Facet::platform("VR"), None);
        assert_eq!(Facet::stage("released"), Some(Facet::Stage(2)));
        assert_eq!(Facet::creator_kind("person"), Some(Facet::CreatorKind(1)));
        assert_eq!(Facet::event_kind("jam"), Some(Facet::EventKind(0)));
        assert_eq!(Facet::country("ng"), Some(Facet::Country(*b"NG")));
        assert_eq!(Facet::country("N"), None);
        assert_eq!(Facet::country("é"), None);
    }
}
