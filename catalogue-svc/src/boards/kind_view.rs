//! The boards of one kind, built from sums of votes and a snapshot of the listings.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use uuid::Uuid;

use super::board::BoardUpdate;
use super::place::Place;
use super::samples::every;
use super::votable::Votable;
use crate::domain::rankings::Window;
use crate::domain::tally::Tallies;
use crate::index::Index;

/// The boards of a kind. They are immutable but for a cache.
#[derive(Debug)]
pub struct KindView<L> {
    /// By [`Window::index`]: the public listings with votes in the window, in the order of their keys.
    boards: [Vec<Place<L>>; 3],
    /// By [`Window::index`]: what has changed up to the snapshot that was read last.
    updates: [ArcSwapOption<BoardUpdate<L>>; 3],
    /// All public listings.
    pub(super) listings: Vec<Arc<L>>,
}

impl<L: Votable> KindView<L> {
    /// Sorts the listings of `index` by these sums.
    pub(super) fn build(tallies: &Tallies, index: &Index<L>) -> Self {
        let listings = index.search(&every()).rows;
        let boards = Window::ALL.map(|window| {
            let record = |row: &Arc<L>| tallies.record(L::KIND, *row.id(), window);
            let places = listings
                .iter()
                .filter_map(|row| Place::new(record(row), row));
            let mut places: Vec<Place<L>> = places.collect();
            places.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
            places
        });
        Self {
            boards,
            updates: Default::default(),
            listings,
        }
    }

    /// The board of a window.
    pub(super) fn board(&self, window: Window) -> &[Place<L>] {
        &self.boards[window.index()]
    }

    /// The latest changes of the board of a window.
    pub(super) fn update(&self, window: Window) -> &ArcSwapOption<BoardUpdate<L>> {
        &self.updates[window.index()]
    }

    /// The listings of a board, best first.
    pub(crate) fn order(&self, window: Window) -> Vec<Uuid> {
        let places = self.board(window).iter();
        places.map(|place| *place.row.id()).collect()
    }

    /// The public rows with one of these ids.
    pub(crate) fn rows(&self, is_wanted: impl Fn(&Uuid) -> bool) -> impl Iterator<Item = &Arc<L>> {
        (self.listings.iter()).filter(move |row| is_wanted(row.id()))
    }
}
