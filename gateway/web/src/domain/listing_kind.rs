//! The kinds of listings.

use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ListingKind {
    Page,
    Game,
    Event,
}

impl ListingKind {
    /// As paths and services name it.
    pub fn as_str(self) -> &'static str {
        self.into()
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

/// Whether this may be a slug or a handle, and so stand in an address as it is.
pub fn is_listing_name(text: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=100).contains(&text.len()) && text.bytes().all(may_be)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_need_no_encoding_are_accepted() {
        for good in ["kora", "a-game-2"] {
            assert!(is_listing_name(good));
        }
        for bad in ["", "a/b", "..", "A", "a b", "a?b", "é", &"a".repeat(101)] {
            assert!(!is_listing_name(bad), "{bad:?}");
        }
    }
}
