//! A board: the listings with votes in a window, sorted a few seconds ago, and an overlay of what has changed since.

use std::iter;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use kit::feed::Position;
use uuid::Uuid;

use super::row::BoardRow;
use super::votable::Votable;
use crate::domain::listing::Mode;
use crate::domain::order::BoardKey;
use crate::domain::rankings::Window;
use crate::domain::tally::Tallies;
use crate::index::{Dataset, Index, Snapshot};

/// A sorted board. Readers see it with a [`BoardOverlay`].
#[derive(Debug)]
pub struct SortedBoard<L> {
    window: Window,
    /// In the order of their keys.
    rows: Vec<BoardRow<L>>,
    /// The overlay that was read last. After an import many listings differ from the board, so all readers of a snapshot share it.
    overlay: ArcSwapOption<BoardOverlay<L>>,
}

/// The changes of a board between the snapshot of the catalogue that it was sorted with and a newer snapshot.
#[derive(Debug)]
pub struct BoardOverlay<L> {
    /// The position of the newer snapshot.
    position: Position,
    /// Indexes of the board's rows whose listings have changed since, in ascending order.
    replaced: Vec<usize>,
    /// The current rows of the changed listings that are public and have votes, in the order of their keys.
    current: Vec<BoardRow<L>>,
}

impl<L: Votable> SortedBoard<L> {
    /// Sorts the listings of `index` by their votes in a window.
    pub(super) fn sort(tallies: &Tallies, window: Window, index: &Index<L>) -> Self {
        let rows = index.rows().filter_map(|listing| {
            BoardRow::new(tallies.record(L::KIND, *listing.id(), window), listing)
        });
        let mut rows: Vec<BoardRow<L>> = rows.collect();
        rows.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        Self {
            window,
            rows,
            overlay: ArcSwapOption::empty(),
        }
    }

    /// The listings on the board, best first.
    pub(crate) fn order(&self) -> Vec<Uuid> {
        let rows = self.rows.iter();
        rows.map(|row| *row.listing.id()).collect()
    }

    /// The changes from the listings `sorted`, with which the board was sorted, to the listings `newest` at a later position of the same epoch.
    pub(super) fn overlay(
        &self,
        tallies: &Tallies,
        mode: Mode,
        sorted: &Snapshot,
        newest: &Snapshot,
    ) -> Arc<BoardOverlay<L>> {
        let cached = self.overlay.load_full();
        if let Some(overlay) = cached.filter(|overlay| overlay.position == newest.position) {
            return overlay;
        }
        let overlay = Arc::new(self.compare(tallies, mode, sorted, newest));
        self.overlay.store(Some(Arc::clone(&overlay)));
        overlay
    }

    fn compare(
        &self,
        tallies: &Tallies,
        mode: Mode,
        sorted: &Snapshot,
        newest: &Snapshot,
    ) -> BoardOverlay<L> {
        let row = |listings: &Dataset, address: &str| {
            let listing = L::index(listings).get(address)?;
            let record = tallies.record(L::KIND, *listing.id(), self.window);
            BoardRow::new(record, listing)
        };
        let (mut replaced, mut current) = (Vec::new(), Vec::new());
        let since = sorted.position.seq;
        let (sorted, position) = (sorted.dataset(mode), newest.position);
        let newest = newest.dataset(mode);
        let changes = newest.changes.since(since);
        for (_, address) in changes.filter(|(kind, _)| *kind == L::KIND) {
            let was = row(sorted, address);
            replaced.extend(was.and_then(|was| {
                let found = self.rows.binary_search_by(|row| row.key().cmp(&was.key()));
                found.ok()
            }));
            current.extend(row(newest, address));
        }
        // If two listings had an address one after the other, the address comes twice.
        replaced.sort_unstable();
        replaced.dedup();
        current.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        current.dedup_by_key(|row| *row.listing.id());
        BoardOverlay {
            position,
            replaced,
            current,
        }
    }

    /// How many listings are on the board.
    pub fn total(&self, overlay: &BoardOverlay<L>) -> usize {
        self.rows.len() - overlay.replaced.len() + overlay.current.len()
    }

    /// The number of rows up to the key `after`, and the rows after it, the best first.
    pub fn after<'a>(
        &'a self,
        overlay: &'a BoardOverlay<L>,
        after: Option<&BoardKey<'_>>,
    ) -> (usize, impl Iterator<Item = &'a BoardRow<L>>) {
        let is_read = |row: &BoardRow<L>| after.is_some_and(|after| row.key() <= *after);
        let first = self.rows.partition_point(is_read);
        let BoardOverlay {
            replaced, current, ..
        } = overlay;
        let replaced_before = replaced.partition_point(|at| *at < first);
        let current_before = current.partition_point(is_read);
        let unchanged = self.rows.iter().enumerate().skip(first);
        let unchanged = unchanged.filter(|(at, _)| replaced.binary_search(at).is_err());
        let mut unchanged = unchanged.map(|(_, row)| row).peekable();
        let mut changed = current.iter().skip(current_before).peekable();
        let rows = iter::from_fn(move || match (unchanged.peek(), changed.peek()) {
            (Some(row), Some(changed_row)) if changed_row.key() < row.key() => changed.next(),
            (Some(_), _) => unchanged.next(),
            (None, _) => changed.next(),
        });
        (first - replaced_before + current_before, rows)
    }
}
