//! The items of the sorted lists: a listing on a board, and a candidate for a pair to vote on.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use uuid::Uuid;

use super::votable::Votable;
use crate::domain::order::BoardKey;
use crate::domain::tally::Record;

/// A listing on a board, in the order of [`BoardKey`].
#[derive(Debug, Clone)]
pub struct Place<L> {
    /// Votes in the board's window.
    pub record: Record,
    /// The row of the listing.
    pub row: Arc<L>,
}

impl<L: Votable> Place<L> {
    /// The sort key.
    pub fn key(&self) -> BoardKey<'_> {
        self.row.board_key(self.record)
    }
}

impl<L: Votable> Ord for Place<L> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<L: Votable> PartialOrd for Place<L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Votable> PartialEq for Place<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<L: Votable> Eq for Place<L> {}

/// A public listing that may be drawn. Listings with the fewest votes come first; a hash orders listings with equally many.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<L> {
    /// Of all time.
    pub(crate) votes: u32,
    /// A hash of the id, so that equals are not in the order of their ids.
    number: u32,
    pub(crate) row: Arc<L>,
}

/// The sort key of candidates: votes, hash of the id, id.
pub(crate) type CandidateKey = (u32, u32, Uuid);

/// The sort key of a listing with this many votes.
pub(crate) fn candidate_key(votes: u32, id: Uuid) -> CandidateKey {
    (votes, number(id), id)
}

fn number(id: Uuid) -> u32 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

impl<L: Votable> Candidate<L> {
    pub(crate) fn new(votes: u32, row: Arc<L>) -> Self {
        let number = number(*row.id());
        Self { votes, number, row }
    }

    pub(crate) fn key(&self) -> CandidateKey {
        (self.votes, self.number, *self.row.id())
    }
}

impl<L: Votable> Ord for Candidate<L> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The id is in another allocation, so it is read only where it decides.
        (self.votes, self.number)
            .cmp(&(other.votes, other.number))
            .then_with(|| self.row.id().cmp(other.row.id()))
    }
}

impl<L: Votable> PartialOrd for Candidate<L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Votable> PartialEq for Candidate<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<L: Votable> Eq for Candidate<L> {}
