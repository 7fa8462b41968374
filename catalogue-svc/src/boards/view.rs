//! The boards from which reads are answered.

use std::sync::Arc;

use kit::feed::Position;

use super::CastVotes;
use super::board::{Board, BoardUpdate};
use super::kind_view::KindView;
use super::place::Place;
use super::previous::PreviousRanks;
use super::samples::Samples;
use super::votable::Votable;
use crate::domain::listing::Mode;
use crate::domain::rankings::Window;
use crate::domain::tally::Tallies;
use crate::index::{Creator, Dataset, Game, Snapshot};

/// All boards as they were built, and what they were built from.
#[derive(Debug)]
pub struct View {
    /// In the catalogue's own feed.
    position: Position,
    snapshot: Arc<Snapshot>,
    live: ModeView,
    test: ModeView,
}

/// The boards of a mode.
#[derive(Debug)]
pub struct ModeView {
    tallies: Arc<Tallies>,
    pub(super) games: KindView<Game>,
    pub(super) creators: KindView<Creator>,
    previous: PreviousRanks,
}

impl View {
    pub(super) fn build(votes: &CastVotes, samples: &Samples, snapshot: Arc<Snapshot>) -> Self {
        let (live, test) = (snapshot.dataset(Mode::Live), snapshot.dataset(Mode::Test));
        let (tallies, previous) = (Arc::clone(&votes.tallies), votes.previous.clone());
        Self {
            position: votes.position,
            live: ModeView::build(tallies, live, previous),
            test: samples.boards(test, votes.tallies.hour()),
            snapshot,
        }
    }

    /// Whether these votes and listings lead to the same boards.
    pub(super) fn is_of(&self, votes: &CastVotes, snapshot: &Snapshot) -> bool {
        self.position == votes.position
            && self.live.tallies.hour() == votes.tallies.hour()
            && self.snapshot.position == snapshot.position
    }

    /// The boards of a mode.
    pub fn dataset(&self, mode: Mode) -> &ModeView {
        match mode {
            Mode::Live => &self.live,
            Mode::Test => &self.test,
        }
    }

    /// A board with the listings as they are in `snapshot`.
    pub fn board<L: Votable>(
        &self,
        mode: Mode,
        window: Window,
        snapshot: &Snapshot,
    ) -> Board<'_, L> {
        let boards = self.dataset(mode);
        let places = L::boards(boards).board(window);
        let newest = self.newer(snapshot);
        let cache = L::boards(boards).update(window);
        let cached = cache.load_full();
        if let Some(update) = cached.filter(|update| update.position == newest.position) {
            return Board::new(places, update);
        }
        let update = BoardUpdate::new(
            (places, window),
            &boards.tallies,
            (self.snapshot.position, self.snapshot.dataset(mode)),
            (newest.position, newest.dataset(mode)),
        );
        let update = Arc::new(update);
        cache.store(Some(Arc::clone(&update)));
        Board::new(places, update)
    }

    /// The rank of a listing on a board, and its place; `None` if it is not on the board.
    pub fn rank<L: Votable>(
        &self,
        (mode, window): (Mode, Window),
        snapshot: &Snapshot,
        address: &str,
    ) -> Option<(usize, Place<L>)> {
        let newest = self.newer(snapshot).dataset(mode);
        let row = L::index(newest).get(address)?;
        let tallies = self.dataset(mode).tallies();
        let place = Place::new(tallies.record(L::KIND, *row.id(), window), row)?;
        let (rank, _) = self
            .board::<L>(mode, window, snapshot)
            .after(Some(&place.key()));
        Some((rank, place))
    }

    /// `snapshot`, unless the boards were built from a later one.
    pub(super) fn newer<'a>(&'a self, snapshot: &'a Snapshot) -> &'a Snapshot {
        if snapshot.position.reaches(self.snapshot.position) {
            snapshot
        } else {
            &self.snapshot
        }
    }
}

impl ModeView {
    /// Sorts the listings of `dataset` by these sums.
    pub fn build(tallies: Arc<Tallies>, dataset: &Dataset, previous: PreviousRanks) -> Self {
        Self {
            games: KindView::build(&tallies, &dataset.games),
            creators: KindView::build(&tallies, &dataset.creators),
            tallies,
            previous,
        }
    }

    /// The boards of a kind.
    pub(crate) fn of<L: Votable>(&self) -> &KindView<L> {
        L::boards(self)
    }

    /// The sums by which the listings are sorted.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The ranks in the snapshot before the latest.
    pub fn previous(&self) -> &PreviousRanks {
        &self.previous
    }
}
