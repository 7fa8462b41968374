//! The orders of the lists (§4.2): a sort key for each. A cursor contains the key of the row after which a page begins.
//!
//! Keys compare field by field, and end in the slug or handle, so that no two rows of a list are equal.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use time::Date;

use super::collation::Name;
use super::tally::Record;

/// Games: the featured first, within that the newest first, then by slug.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameKey {
    /// Whether it is featured.
    pub featured: Reverse<bool>,
    /// When it was first published, in microseconds since 1970, the precision of PostgreSQL.
    pub published_at: Reverse<i64>,
    /// Its slug.
    pub slug: Arc<str>,
}

/// Creators: the newest first, then by handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CreatorKey {
    /// When it was first published, in microseconds since 1970.
    pub published_at: Reverse<i64>,
    /// Its handle.
    pub handle: Arc<str>,
}

/// Events: the soonest first, then by slug. Past ones are walked backwards.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventKey {
    /// Its first day.
    pub starts_at: Date,
    /// Its slug.
    pub slug: Arc<str>,
}

/// Cities: those with more creators first, then with more games, then by name and slug.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CityKey {
    /// How many creators are there.
    pub creators: Reverse<u64>,
    /// How many games these creators have.
    pub games: Reverse<u64>,
    /// Its name.
    pub name: Name,
    /// Its slug.
    pub slug: Arc<str>,
}

/// Countries: by name, then by code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CountryKey {
    /// Its name.
    pub name: Name,
    /// Its code.
    pub code: String,
}

/// Boards: more wins first, then the larger share of wins, then the earlier publication, then by slug or handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BoardKey<'a> {
    /// Votes for the listing.
    pub wins: Reverse<u32>,
    /// Votes for the other listing of a pair. With equal wins, fewer losses are a larger share of wins. Without a win it is 0: the share is
    /// always the same.
    pub losses: u32,
    /// When it was first published, in microseconds since 1970.
    pub published_at: i64,
    /// Its slug or handle.
    pub address: Cow<'a, str>,
}

impl<'a> BoardKey<'a> {
    /// The key of a listing with this record.
    pub fn new(record: Record, published_at: i64, address: &'a str) -> Self {
        Self {
            wins: Reverse(record.wins),
            losses: if record.wins == 0 { 0 } else { record.losses },
            published_at,
            address: Cow::Borrowed(address),
        }
    }

    /// The same with an address of its own.
    pub fn into_owned(self) -> BoardKey<'static> {
        BoardKey {
            address: Cow::Owned(self.address.into_owned()),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    fn game(featured: bool, published_at: i64, slug: &str) -> GameKey {
        GameKey {
            featured: Reverse(featured),
            published_at: Reverse(published_at),
            slug: slug.into(),
        }
    }

    #[test]
    fn featured_then_newest_then_slug() {
        let mut keys = [
            game(false, 2, "b"),
            game(true, 1, "z"),
            game(false, 3, "c"),
            game(false, 2, "a"),
        ];
        keys.sort();
        let slugs: Vec<&str> = keys.iter().map(|key| key.slug.as_ref()).collect();
        assert_eq!(slugs, ["z", "c", "a", "b"]);
    }

    #[test]
    fn more_creators_then_more_games_then_name() {
        let city = |creators, games, name: &str| CityKey {
            creators: Reverse(creators),
            games: Reverse(games),
            name: Name::new(name),
            slug: name.into(),
        };
        let mut keys = [
            city(1, 9, "a"),
            city(2, 0, "c"),
            city(2, 1, "d"),
            city(2, 0, "b"),
        ];
        keys.sort();
        let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
        assert_eq!(names, ["d", "b", "c", "a"]);
    }

    #[test]
    fn more_wins_then_the_larger_share_then_the_older() {
        let key = |wins, losses, published_at, address: &'static str| {
            BoardKey::new(Record { wins, losses }, published_at, address)
        };
        let mut keys = [
            key(0, 1, 5, "g"),
            key(2, 9, 1, "c"),
            key(3, 99, 9, "a"),
            key(2, 3, 2, "b"),
            key(0, 7, 4, "f"),
            key(2, 9, 1, "d"),
            key(2, 9, 2, "e"),
        ];
        keys.sort();
        let order: Vec<&str> = keys.iter().map(|key| &*key.address).collect();
        assert_eq!(order, ["a", "b", "c", "d", "e", "f", "g"]);
    }

    #[test]
    fn a_key_reads_back_from_a_cursor() {
        let key = game(true, -1, "a");
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<GameKey>(&text).unwrap(), key);
        let key = EventKey {
            starts_at: date!(2026 - 02 - 28),
            slug: "jam".into(),
        };
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<EventKey>(&text).unwrap(), key);
    }
}
