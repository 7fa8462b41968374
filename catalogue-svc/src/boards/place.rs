//! The items of the sorted lists: a listing on a board, and a candidate for a pair to vote on.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use uuid::Uuid;

use super::votable::Votable;
use crate::domain::order::BoardKey;
use crate::domain::tally::Record;

/// A listing on a board.
#[derive(Debug)]
pub struct Place<L> {
    /// Votes in the board's window.
    pub record: Record,
    /// The row of the listing.
    pub row: Arc<L>,
}

impl<L: Votable> Place<L> {
    /// The place of a listing with this record. `None`: nobody has voted on it.
    pub(super) fn new(record: Record, row: &Arc<L>) -> Option<Self> {
        (record.votes() > 0).then(|| Self {
            record,
            row: Arc::clone(row),
        })
    }

    /// The sort key.
    pub fn key(&self) -> BoardKey<'_> {
        self.row.board_key(self.record)
    }
}

/// A public listing that may be drawn.
#[derive(Debug)]
pub(super) struct Candidate<L> {
    /// Of all time.
    pub(super) votes: u32,
    /// A hash of the id, so that candidates with equally many votes are not in the order of their ids.
    pub(super) number: u32,
    pub(super) row: Arc<L>,
}

impl<L: Votable> Candidate<L> {
    pub(super) fn new(votes: u32, row: Arc<L>) -> Self {
        let mut hasher = DefaultHasher::new();
        row.id().hash(&mut hasher);
        let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
        Self {
            votes,
            number: u32::from_le_bytes([a, b, c, d]),
            row,
        }
    }

    /// The sort key: votes, hash of the id, id.
    pub(super) fn key(&self) -> (u32, u32, Uuid) {
        (self.votes, self.number, *self.row.id())
    }
}
