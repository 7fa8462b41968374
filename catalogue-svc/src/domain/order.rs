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
    pub featured: Reverse<bool>,
    /// When it was first published, in microseconds since 1970, the precision of PostgreSQL.
    pub published_at: Reverse<i64>,
    pub slug: Arc<str>,
}

/// Creators: the newest first, then by handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CreatorKey {
    /// When it was first published, in microseconds since 1970.
    pub published_at: Reverse<i64>,
    pub handle: Arc<str>,
}

/// Events: the soonest first, then by slug. Lists of past events read this order in reverse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventKey {
    pub starts_at: Date,
    pub slug: Arc<str>,
}

/// Cities: those with more creators first, then with more games, then by name and slug.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CityKey {
    pub creators: Reverse<u64>,
    /// How many games these creators have.
    pub games: Reverse<u64>,
    pub name: Name,
    pub slug: Arc<str>,
}

/// Countries: by name, then by code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CountryKey {
    pub name: Name,
    pub code: String,
}

/// Boards: more wins first, then the larger share of wins, then the earlier publication, then by slug or handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BoardKey<'a> {
    /// Votes for the listing.
    pub wins: Reverse<u32>,
    /// Votes for the other listing of a pair. With equal wins, fewer losses are a larger share of wins. 0 if there are no wins, because then losses
    /// do not affect the share.
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
}
