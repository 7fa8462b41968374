//! The six boards of a dataset, which are sorted together.

use std::sync::Arc;

use super::row::BoardRow;
use super::sorted::{BoardOverlay, SortedBoard};
use super::votable::Votable;
use super::vote_counts::VoteCounts;
use crate::domain::listing::Mode;
use crate::domain::rankings::Window;
use crate::index::{Creator, Dataset, Game, Snapshot};

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

/// The boards of a dataset, and the votes and the snapshot with which they were sorted.
#[derive(Debug)]
pub struct DatasetBoards {
    mode: Mode,
    /// The votes.
    pub votes: VoteCounts,
    snapshot: Arc<Snapshot>,
    /// By [`Window::index`].
    games: [SortedBoard<Game>; 3],
    /// By [`Window::index`].
    creators: [SortedBoard<Creator>; 3],
}

impl DatasetBoards {
    /// Sorts the listings of a snapshot by these votes.
    pub fn sort(votes: VoteCounts, mode: Mode, snapshot: Arc<Snapshot>) -> Self {
        let Dataset {
            games, creators, ..
        } = snapshot.dataset(mode);
        let tallies = &votes.tallies;
        Self {
            mode,
            games: Window::ALL.map(|window| SortedBoard::sort(tallies, window, games)),
            creators: Window::ALL.map(|window| SortedBoard::sort(tallies, window, creators)),
            votes,
            snapshot,
        }
    }

    /// Whether the boards were sorted with these votes and listings.
    pub(super) fn is_of(&self, votes: &VoteCounts, snapshot: &Snapshot) -> bool {
        self.votes.position == votes.position
            && self.votes.tallies.hour() == votes.tallies.hour()
            && self.snapshot.position == snapshot.position
    }

    /// The listings that the boards were sorted with.
    pub fn listings(&self) -> &Dataset {
        self.snapshot.dataset(self.mode)
    }

    /// A board as it was sorted.
    pub fn board<L: Ranked>(&self, window: Window) -> &SortedBoard<L> {
        &L::boards(self)[window.index()]
    }

    /// The changes of a board up to `snapshot`.
    pub fn overlay<L: Ranked>(&self, window: Window, snapshot: &Snapshot) -> Arc<BoardOverlay<L>> {
        let newest = self.newer(snapshot);
        let (tallies, sorted) = (&self.votes.tallies, &self.snapshot);
        self.board::<L>(window)
            .overlay(tallies, self.mode, sorted, newest)
    }

    /// The rank of a listing on a board, and its row; `None` if it is not on the board.
    pub fn rank<L: Ranked>(
        &self,
        window: Window,
        snapshot: &Snapshot,
        address: &str,
    ) -> Option<(usize, BoardRow<L>)> {
        let listing = L::index(self.newer(snapshot).dataset(self.mode)).get(address)?;
        let record = (self.votes.tallies).record(L::KIND, *listing.id(), window);
        let row = BoardRow::new(record, listing)?;
        let overlay = self.overlay::<L>(window, snapshot);
        let (rank, _) = self.board(window).after(&overlay, Some(&row.key()));
        Some((rank, row))
    }

    /// `snapshot`, unless the boards were sorted with a later one.
    fn newer<'a>(&'a self, snapshot: &'a Snapshot) -> &'a Snapshot {
        if snapshot.position.reaches(self.snapshot.position) {
            snapshot
        } else {
            &self.snapshot
        }
    }
}
