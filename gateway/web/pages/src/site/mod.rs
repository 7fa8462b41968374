//! The public site: what players, press and crawlers see.

pub mod africa;
pub mod amount;
pub mod articles;
pub mod boards;
pub mod cards;
pub mod course;
pub mod creators;
pub mod economy;
pub mod events;
pub mod feeds;
pub mod games;
pub mod list;
pub mod places;
pub mod search;
pub mod start;
pub mod vote;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// What a visitor can do about a listing: the links at the end of its page.
#[derive(Debug, Clone)]
pub struct VisitorActions {
    /// Of the page of a creator.
    pub claim: Option<String>,
    /// A mail to staff about the listing.
    pub write: Option<String>,
}

/// What names are sorted by: their letters without accents and case, so that `Égypte` stands at E.
pub fn sort_key(name: &str) -> String {
    let letters = name.nfd().filter(|c| !is_combining_mark(*c));
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted_without_accents() {
        let mut names = ["Zambie", "Égypte", "Eswatini", "Érythrée", "Algérie"];
        names.sort_by_cached_key(|name| super::sort_key(name));
        let sorted = ["Algérie", "Égypte", "Érythrée", "Eswatini", "Zambie"];
        assert_eq!(names, sorted);
    }
}
