//! A listing on a board.

use std::sync::Arc;

use super::votable::Votable;
use crate::domain::order::BoardKey;
use crate::domain::tally::Record;

/// A row of a board.
#[derive(Debug)]
pub struct BoardRow<L> {
    /// Votes in the board's window.
    pub record: Record,
    /// The listing.
    pub listing: Arc<L>,
}

impl<L: Votable> BoardRow<L> {
    /// The row of a listing with this record; `None`: it has no votes.
    pub(super) fn new(record: Record, listing: &Arc<L>) -> Option<Self> {
        (record.votes() > 0).then(|| Self {
            record,
            listing: Arc::clone(listing),
        })
    }

    /// The sort key.
    pub fn key(&self) -> BoardKey<'_> {
        self.listing.board_key(self.record)
    }
}
