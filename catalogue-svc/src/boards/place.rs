//! A listing on a board.

use std::sync::Arc;

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
