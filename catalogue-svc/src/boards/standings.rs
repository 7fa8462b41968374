//! The boards of one kind, updated as votes, listings and the clock change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use uuid::Uuid;

use super::place::{Candidate, Place, candidate_key};
use super::ranked_list::RankedList;
use super::votable::Votable;
use crate::domain::rankings::{Hour, Window};
use crate::domain::tally::{Record, Tally};

/// Tallies by the listing's id.
pub type Tallies = HashMap<Uuid, Tally>;

/// A snapshot of the boards of a kind.
#[derive(Debug, Clone)]
pub struct KindView<L> {
    /// By [`Window::index`]: the public listings with votes in the window.
    pub(crate) boards: [RankedList<Place<L>>; 3],
    /// All public listings.
    pub(crate) candidates: RankedList<Candidate<L>>,
}

impl<L> Default for KindView<L> {
    fn default() -> Self {
        Self {
            boards: Default::default(),
            candidates: RankedList::default(),
        }
    }
}

impl<L: Votable> KindView<L> {
    /// The board of a window.
    pub(crate) fn board(&self, window: Window) -> &RankedList<Place<L>> {
        &self.boards[window.index()]
    }
}

/// The boards of a kind, with the tallies behind them.
#[derive(Debug)]
pub(crate) struct Standings<L> {
    /// The current hour, the last of every window.
    hour: Hour,
    /// The tallies of all listings with votes, public or not.
    tallies: Vec<(Uuid, Tally)>,
    /// Indexes into `tallies`.
    numbers: HashMap<Uuid, u32>,
    /// Indexes into `tallies` of the listings with votes in an hour. With many votes this is most of the memory of a board.
    voted: BTreeMap<Hour, Vec<u32>>,
    kind: KindView<L>,
}

impl<L: Votable> Standings<L> {
    /// The boards of these public listings.
    pub(crate) fn new(rows: Vec<Arc<L>>, tallies: Tallies, hour: Hour) -> Self {
        let mut voted: BTreeMap<Hour, Vec<u32>> = BTreeMap::new();
        let mut numbers = HashMap::with_capacity(tallies.len());
        let tallies: Vec<(Uuid, Tally)> = tallies.into_iter().collect();
        for (number, (id, tally)) in (0..).zip(&tallies) {
            numbers.insert(*id, number);
            for hour in tally.hours() {
                voted.entry(hour).or_default().push(number);
            }
        }
        voted.values_mut().for_each(Vec::shrink_to_fit);
        let mut standings = Self {
            hour,
            tallies,
            numbers,
            voted,
            kind: KindView::default(),
        };
        standings.set_rows(rows);
        standings
    }

    /// The current boards. A clone of them shares their chunks.
    pub(crate) fn kind(&self) -> &KindView<L> {
        &self.kind
    }

    /// Replaces the public listings.
    pub(crate) fn set_rows(&mut self, rows: Vec<Arc<L>>) {
        self.kind.boards = Window::ALL.map(|window| {
            let places = rows.iter().filter_map(|row| self.place(row, window));
            RankedList::new(places.collect())
        });
        let candidates = rows.into_iter().map(|row| self.candidate(row));
        self.kind.candidates = RankedList::new(candidates.collect());
    }

    /// The public rows.
    pub(crate) fn rows(&self) -> Vec<Arc<L>> {
        let candidates = self.kind.candidates.iter_from(0);
        candidates
            .map(|candidate| Arc::clone(&candidate.row))
            .collect()
    }

    /// The row of a public listing.
    pub(crate) fn row(&self, id: Uuid) -> Option<&Arc<L>> {
        let key = candidate_key(self.votes(id), id);
        let candidate = self
            .kind
            .candidates
            .find(|candidate| candidate.key().cmp(&key));
        candidate.map(|candidate| &candidate.row)
    }

    /// Applies that a listing became public (no `old`), stopped being public (no `new`), or has a new row.
    pub(crate) fn replace(&mut self, old: Option<&Arc<L>>, new: Option<Arc<L>>) {
        if let Some(old) = old {
            self.remove_row(old);
        }
        if let Some(new) = new {
            self.insert_row(new);
        }
    }

    /// Adds votes of an hour for and against a listing. Negative numbers void votes.
    pub(crate) fn count(&mut self, id: Uuid, hour: Hour, wins: i64, losses: i64) {
        let row = self.row(id).map(Arc::clone);
        if let Some(row) = &row {
            self.remove_row(row);
        }
        let number = *self.numbers.entry(id).or_insert_with(|| {
            self.tallies.push((id, Tally::default()));
            // There are fewer listings than numbers.
            u32::try_from(self.tallies.len() - 1).unwrap_or(u32::MAX)
        });
        let tally = self.tallies.get_mut(number as usize);
        if tally.is_some_and(|(_, tally)| tally.add(hour, wins, losses)) {
            self.voted.entry(hour).or_default().push(number);
        }
        if let Some(row) = row {
            self.insert_row(row);
        }
    }

    /// Moves the windows, so that `hour` is their last.
    pub(crate) fn advance_to(&mut self, hour: Hour) {
        if hour == self.hour {
            return;
        }
        let (from, to) = (self.hour.min(hour), self.hour.max(hour));
        let mut touched = BTreeSet::new();
        for window in Window::ALL {
            if let (Some(from), Some(to)) = (window.first(from), window.first(to)) {
                let hours = self.voted.range(from..to);
                touched.extend(hours.flat_map(|(_, numbers)| numbers.iter().copied()));
            }
        }
        let rows: Vec<Arc<L>> = (touched.into_iter())
            .filter_map(|number| self.row(self.tallies.get(number as usize)?.0))
            .map(Arc::clone)
            .collect();
        for row in &rows {
            self.remove_row(row);
        }
        self.hour = hour;
        for row in rows {
            self.insert_row(row);
        }
        self.remove_before(hour.oldest_kept());
    }

    /// The listings that are public now, in the order that the board had when the hour `due` began.
    pub(crate) fn ranking_at(&self, window: Window, due: Hour) -> Vec<Uuid> {
        let rows = self
            .kind
            .candidates
            .iter_from(0)
            .map(|candidate| &candidate.row);
        let mut keys: Vec<_> = rows
            .filter_map(|row| {
                let record = self.tally(*row.id())?.record_at(window, due);
                (record.votes() > 0).then(|| (row.board_key(record), *row.id()))
            })
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, id)| id).collect()
    }

    fn remove_before(&mut self, oldest: Hour) {
        let kept = self.voted.split_off(&oldest);
        let removed = std::mem::replace(&mut self.voted, kept);
        for number in removed.into_values().flatten() {
            if let Some((_, tally)) = self.tallies.get_mut(number as usize) {
                tally.remove_before(oldest);
            }
        }
    }

    fn tally(&self, id: Uuid) -> Option<&Tally> {
        let number = *self.numbers.get(&id)?;
        self.tallies.get(number as usize).map(|(_, tally)| tally)
    }

    fn votes(&self, id: Uuid) -> u32 {
        self.tally(id).map_or(0, Tally::votes)
    }

    /// The record of a listing in a window.
    pub(crate) fn record(&self, id: Uuid, window: Window) -> Record {
        let tally = self.tally(id);
        tally.map_or_else(Record::default, |tally| tally.record(window, self.hour))
    }

    fn place(&self, row: &Arc<L>, window: Window) -> Option<Place<L>> {
        let record = self.record(*row.id(), window);
        (record.votes() > 0).then(|| Place {
            record,
            row: Arc::clone(row),
        })
    }

    fn candidate(&self, row: Arc<L>) -> Candidate<L> {
        Candidate::new(self.votes(*row.id()), row)
    }

    fn remove_row(&mut self, row: &Arc<L>) {
        for window in Window::ALL {
            if let Some(place) = self.place(row, window) {
                self.kind.boards[window.index()].remove(&place);
            }
        }
        let candidate = self.candidate(Arc::clone(row));
        self.kind.candidates.remove(&candidate);
    }

    fn insert_row(&mut self, row: Arc<L>) {
        for window in Window::ALL {
            if let Some(place) = self.place(&row, window) {
                self.kind.boards[window.index()].insert(place);
            }
        }
        let candidate = self.candidate(row);
        self.kind.candidates.insert(candidate);
    }
}
