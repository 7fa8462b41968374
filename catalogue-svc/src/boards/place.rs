//! Where a listing stands: on a board, and in the turn to be voted on.

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
    /// In the board's window.
    pub record: Record,
    /// The listing.
    pub row: Arc<L>,
}

impl<L: Votable> Place<L> {
    /// What the board is sorted by.
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

/// A public listing, those with the fewest votes first; of equals in an order that nobody has chosen.
#[derive(Debug, Clone)]
pub(crate) struct Turn<L> {
    /// In all.
    pub(crate) votes: u32,
    /// Scatters the listings.
    number: u32,
    /// The listing.
    pub(crate) row: Arc<L>,
}

/// What turns are sorted by: votes, a number that scatters the listings, and the id.
pub(crate) type TurnKey = (u32, u32, Uuid);

/// The place of a listing with so many votes in the turn.
pub(crate) fn turn_key(votes: u32, id: Uuid) -> TurnKey {
    (votes, number(id), id)
}

fn number(id: Uuid) -> u32 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

impl<L: Votable> Turn<L> {
    pub(crate) fn new(votes: u32, row: Arc<L>) -> Self {
        let number = number(*row.id());
        Self { votes, number, row }
    }

    pub(crate) fn key(&self) -> TurnKey {
        (self.votes, self.number, *self.row.id())
    }
}

impl<L: Votable> Ord for Turn<L> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<L: Votable> PartialOrd for Turn<L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Votable> PartialEq for Turn<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<L: Votable> Eq for Turn<L> {}
