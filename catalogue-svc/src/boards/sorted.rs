//! The boards as they were sorted last.

use std::sync::Arc;

use kit::feed::Position;
use uuid::Uuid;

use super::votable::Votable;
use super::vote_counts::VoteCounts;
use crate::domain::order::BoardKey;
use crate::domain::rankings::{BoardKind, Window};
use crate::domain::tally::Record;
use crate::index::Dataset;

/// The six boards of a dataset, and the votes with which they were sorted.
#[derive(Debug)]
pub struct DatasetBoards {
    pub votes: VoteCounts,
    /// The position of the listings.
    position: Position,
    /// By [`BoardKind::ALL`] and [`Window::ALL`].
    boards: [[Board; 3]; 2],
}

impl DatasetBoards {
    /// Sorts the listings of a dataset by `votes`. `position` is that of the snapshot with the dataset.
    pub fn sort(votes: VoteCounts, position: Position, listings: &Dataset) -> Self {
        let boards = BoardKind::ALL.map(|kind| {
            let voted: Vec<_> = listings
                .votables(kind)
                .filter_map(|listing| {
                    let records = votes.tallies.records(kind, &listing.id())?;
                    Some((records, listing))
                })
                .collect();
            Window::ALL.map(|window| {
                let records = voted.iter();
                Board::sort(records.map(|(records, listing)| (records[window.index()], *listing)))
            })
        });
        Self { votes, position, boards }
    }

    /// Whether the boards were sorted with these votes and the listings at `position`.
    pub(super) fn is_of(&self, votes: &VoteCounts, position: Position) -> bool {
        Arc::ptr_eq(&self.votes.tallies, &votes.tallies) && self.position == position
    }

    pub fn board(&self, kind: BoardKind, window: Window) -> &Board {
        &self.boards[kind.index()][window.index()]
    }
}

/// The listings with votes in a window, the best first.
#[derive(Debug)]
pub struct Board(Vec<BoardRow>);

/// A listing on a board, as it was when the board was sorted.
#[derive(Debug)]
pub struct BoardRow {
    pub id: Uuid,
    /// The slug or handle.
    pub address: Arc<str>,
    published_at: i64,
    /// Votes in the board's window.
    pub record: Record,
}

impl BoardRow {
    pub fn key(&self) -> BoardKey<'_> {
        BoardKey::new(self.record, self.published_at, &self.address)
    }
}

impl Board {
    /// Sorts listings by their records. Those without votes are left out.
    fn sort<'a>(listings: impl Iterator<Item = (Record, Votable<'a>)>) -> Self {
        let voted = listings.filter(|(record, _)| record.votes() > 0);
        let mut rows: Vec<BoardRow> = voted
            .map(|(record, listing)| BoardRow {
                id: listing.id(),
                address: Arc::clone(listing.address()),
                published_at: listing.published_at(),
                record,
            })
            .collect();
        rows.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        Self(rows)
    }

    /// The ids of the listings, the best first.
    pub(crate) fn order(&self) -> Vec<Uuid> {
        self.0.iter().map(|row| row.id).collect()
    }

    /// How many listings were on the board when it was sorted.
    pub fn total(&self) -> usize {
        self.0.len()
    }

    /// The rows after the key `after`, the best first, with their ranks.
    pub fn after(&self, after: Option<&BoardKey<'_>>) -> impl Iterator<Item = (u64, &BoardRow)> {
        let is_read = |row: &BoardRow| after.is_some_and(|after| row.key() <= *after);
        let first = self.0.partition_point(is_read);
        (1..).zip(&self.0).skip(first)
    }

    /// The rank of a row with this key; `None` if the board has no such row.
    pub fn rank(&self, key: &BoardKey<'_>) -> Option<u64> {
        let found = self.0.binary_search_by(|row| row.key().cmp(key));
        u64::try_from(found.ok()?).ok().map(|index| index + 1)
    }
}
