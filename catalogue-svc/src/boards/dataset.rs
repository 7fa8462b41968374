//! The six boards of a dataset, which are sorted together.

use std::sync::Arc;

use kit::feed::Position;

use super::sorted::SortedBoard;
use super::votable::Votable;
use super::vote_counts::VoteCounts;
use crate::domain::rankings::Window;
use crate::domain::tally::Tallies;
use crate::index::{Creator, Dataset, Game};

/// A listing that is ranked on boards.
pub trait Ranked: Votable {
    /// The boards of its kind, by [`Window::index`].
    fn boards(boards: &DatasetBoards) -> &[SortedBoard<Self>; 3];
}

impl Ranked for Game {
    fn boards(boards: &DatasetBoards) -> &[SortedBoard<Self>; 3] {
        &boards.games
    }
}

impl Ranked for Creator {
    fn boards(boards: &DatasetBoards) -> &[SortedBoard<Self>; 3] {
        &boards.creators
    }
}

/// The boards of a dataset, and the votes with which they were sorted.
#[derive(Debug)]
pub struct DatasetBoards {
    /// The votes.
    pub votes: VoteCounts,
    /// The position of the listings.
    position: Position,
    /// By [`Window::index`].
    games: [SortedBoard<Game>; 3],
    /// By [`Window::index`].
    creators: [SortedBoard<Creator>; 3],
}

impl DatasetBoards {
    /// Sorts the listings of a dataset, which a snapshot at `position` has, by these votes.
    pub fn sort(votes: VoteCounts, position: Position, listings: &Dataset) -> Self {
        Self {
            games: sort(&votes.tallies, listings),
            creators: sort(&votes.tallies, listings),
            votes,
            position,
        }
    }

    /// Whether the boards were sorted with these votes and the listings at `position`.
    pub(super) fn is_of(&self, votes: &VoteCounts, position: Position) -> bool {
        Arc::ptr_eq(&self.votes.tallies, &votes.tallies) && self.position == position
    }

    /// A board.
    pub fn board<L: Ranked>(&self, window: Window) -> &SortedBoard<L> {
        &L::boards(self)[window.index()]
    }
}

/// The boards of a kind, by [`Window::index`].
fn sort<L: Votable>(tallies: &Tallies, listings: &Dataset) -> [SortedBoard<L>; 3] {
    let listings = L::index(listings).rows();
    let voted = listings.filter_map(|listing| {
        let records = tallies.records(L::KIND, listing.id())?;
        Some((records, listing))
    });
    // Without votes there is nothing to look up.
    let voted: Vec<_> = if tallies.is_empty() {
        Vec::new()
    } else {
        voted.collect()
    };
    Window::ALL.map(|window| {
        let records = voted.iter();
        SortedBoard::sort(records.map(|(records, listing)| (records[window.index()], *listing)))
    })
}
