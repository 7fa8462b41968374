//! What games can be filtered by: a few values each, for which bit sets are kept.

/// The platforms there are (§2.2).
pub const PLATFORMS: [&str; 10] = [
    "web",
    "android",
    "ios",
    "windows",
    "mac",
    "linux",
    "switch",
    "playstation",
    "xbox",
    "vr",
];

/// The stages there are (§2.2).
pub const STAGES: [&str; 3] = ["in_development", "early_access", "released"];

/// A property that a game has or has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// Its genres; the number is given out by [`crate::memory::Genres`].
    Genre(u32),
    /// Its platforms, by their place in [`PLATFORMS`].
    Platform(u8),
    /// Its maker's country, in upper case.
    Country([u8; 2]),
    /// Its stage, by its place in [`STAGES`].
    Stage(u8),
}

impl Facet {
    /// The platform called `key`.
    pub fn platform(key: &str) -> Option<Self> {
        place(&PLATFORMS, key).map(Self::Platform)
    }

    /// The stage called `key`.
    pub fn stage(key: &str) -> Option<Self> {
        place(&STAGES, key).map(Self::Stage)
    }

    /// The country with this code, in either case. Whether there is such a country is another question.
    pub fn country(code: &str) -> Option<Self> {
        let letters: [u8; 2] = code.as_bytes().try_into().ok()?;
        letters
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Self::Country(letters.map(|letter| letter.to_ascii_uppercase())))
    }
}

fn place(values: &[&str], key: &str) -> Option<u8> {
    let place = values.iter().position(|value| *value == key)?;
    u8::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        assert_eq!(Facet::platform("vr"), Some(Facet::Platform(9)));
        assert_eq!(Facet::platform("VR"), None);
        assert_eq!(Facet::stage("released"), Some(Facet::Stage(2)));
        assert_eq!(Facet::country("ng"), Some(Facet::Country(*b"NG")));
        assert_eq!(Facet::country("N"), None);
        assert_eq!(Facet::country("é"), None);
    }
}
