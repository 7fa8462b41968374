//! A board: the listings with votes in a window, as they were sorted last.

use std::sync::Arc;

use uuid::Uuid;

use super::votable::Votable;
use crate::domain::order::BoardKey;
use crate::domain::tally::Record;
use crate::index::Index;

/// A sorted board.
#[derive(Debug)]
pub struct SortedBoard<L> {
    /// In the order of their keys.
    rows: Vec<BoardRow<L>>,
}

/// A row of a board.
#[derive(Debug)]
pub struct BoardRow<L> {
    /// Votes in the board's window.
    pub record: Record,
    /// The listing as it was when the board was sorted.
    listing: Arc<L>,
}

impl<L: Votable> BoardRow<L> {
    /// The sort key.
    pub fn key(&self) -> BoardKey<'_> {
        self.listing.board_key(self.record)
    }

    /// The listing as it is in `index`; `None` if it is not public there.
    pub fn current<'a>(&self, index: &'a Index<L>) -> Option<&'a Arc<L>> {
        let listing = index.get(self.listing.address());
        listing.filter(|listing| listing.id() == self.listing.id())
    }
}

impl<L: Votable> SortedBoard<L> {
    /// Sorts listings by their records. Those without votes are left out.
    pub(super) fn sort<'a>(listings: impl Iterator<Item = (Record, &'a Arc<L>)>) -> Self
    where
        L: 'a,
    {
        let voted = listings.filter(|(record, _)| record.votes() > 0);
        let rows = voted.map(|(record, listing)| BoardRow {
            record,
            listing: Arc::clone(listing),
        });
        let mut rows: Vec<BoardRow<L>> = rows.collect();
        rows.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        Self { rows }
    }

    /// The listings on the board, best first.
    pub(crate) fn order(&self) -> Vec<Uuid> {
        let rows = self.rows.iter();
        rows.map(|row| *row.listing.id()).collect()
    }

    /// How many listings were on the board when it was sorted.
    pub fn total(&self) -> usize {
        self.rows.len()
    }

    /// The rows after the key `after`, the best first, with their ranks.
    pub fn after(&self, after: Option<&BoardKey<'_>>) -> impl Iterator<Item = (u64, &BoardRow<L>)> {
        let is_read = |row: &BoardRow<L>| after.is_some_and(|after| row.key() <= *after);
        let first = self.rows.partition_point(is_read);
        (1..).zip(&self.rows).skip(first)
    }

    /// The rank of a row with this key; `None`: the board has no such row.
    pub fn rank(&self, key: &BoardKey<'_>) -> Option<u64> {
        let found = self.rows.binary_search_by(|row| row.key().cmp(key));
        u64::try_from(found.ok()?).ok().map(|index| index + 1)
    }
}
