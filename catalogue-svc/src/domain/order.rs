//! The order of the list of games: featured first, within that the newest first, then by slug (§4.2).

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The sort key of a game, and what a cursor says about the row it stands after.
///
/// It ends in the slug, so no two games of a list are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Featured games come first.
    pub featured: bool,
    /// When it was listed, in microseconds since 1970: what PostgreSQL keeps. Newer games come first.
    pub created_at: i64,
    /// Its slug.
    pub slug: Arc<str>,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .featured
            .cmp(&self.featured)
            .then_with(|| other.created_at.cmp(&self.created_at))
            .then_with(|| self.slug.cmp(&other.slug))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A [`Key`] as it is written into a cursor.
#[derive(Debug, Serialize, Deserialize)]
pub struct Mark(bool, i64, String);

impl From<&Key> for Mark {
    fn from(key: &Key) -> Self {
        Self(key.featured, key.created_at, key.slug.as_ref().to_owned())
    }
}

impl From<Mark> for Key {
    fn from(Mark(featured, created_at, slug): Mark) -> Self {
        Self {
            featured,
            created_at,
            slug: slug.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn featured_then_newest_then_slug() {
        let key = |featured, created_at, slug: &str| Key {
            featured,
            created_at,
            slug: slug.into(),
        };
        let mut keys = [
            key(false, 2, "b"),
            key(true, 1, "z"),
            key(false, 3, "c"),
            key(false, 2, "a"),
        ];
        keys.sort();
        let slugs: Vec<&str> = keys.iter().map(|key| key.slug.as_ref()).collect();
        assert_eq!(slugs, ["z", "c", "a", "b"]);
    }
}
