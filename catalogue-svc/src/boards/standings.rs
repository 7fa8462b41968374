//! The boards of one kind, kept in order as votes, listings and the clock change them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use uuid::Uuid;

use super::place::{Place, Turn, turn_key};
use super::ranked_list::RankedList;
use super::votable::Votable;
use crate::domain::rankings::{Hour, Window};
use crate::domain::tally::{Record, Tally};

/// Tallies by listing.
pub type Tallies = HashMap<Uuid, Tally>;

/// The boards of a kind as readers meet them.
#[derive(Debug, Clone)]
pub struct KindView<L> {
    /// By [`Window::index`]: public listings with votes in the window.
    pub(crate) boards: [RankedList<Place<L>>; 3],
    /// Every public listing.
    pub(crate) turns: RankedList<Turn<L>>,
}

impl<L> Default for KindView<L> {
    fn default() -> Self {
        Self {
            boards: Default::default(),
            turns: RankedList::default(),
        }
    }
}

impl<L: Votable> KindView<L> {
    /// The board of a window.
    pub(crate) fn board(&self, window: Window) -> &RankedList<Place<L>> {
        &self.boards[window.index()]
    }
}

/// The boards of a kind, and what they are made of.
#[derive(Debug)]
pub(crate) struct Standings<L> {
    /// The current one, by which windows end.
    hour: Hour,
    /// Of every listing that was ever voted on, public or not.
    tallies: Tallies,
    /// Which listings have votes in an hour.
    voted: BTreeMap<Hour, Vec<Uuid>>,
    kind: KindView<L>,
}

impl<L: Votable> Standings<L> {
    /// The boards of these public listings.
    pub(crate) fn new(rows: Vec<Arc<L>>, tallies: Tallies, hour: Hour) -> Self {
        let mut voted: BTreeMap<Hour, Vec<Uuid>> = BTreeMap::new();
        for (id, tally) in &tallies {
            for hour in tally.hours() {
                voted.entry(hour).or_default().push(*id);
            }
        }
        let mut standings = Self {
            hour,
            tallies,
            voted,
            kind: KindView::default(),
        };
        standings.relist(rows);
        standings
    }

    /// What readers answer from. It shares its parts with this.
    pub(crate) fn kind(&self) -> &KindView<L> {
        &self.kind
    }

    /// The public listings are these, whatever they were before.
    pub(crate) fn relist(&mut self, rows: Vec<Arc<L>>) {
        self.kind.boards = Window::ALL.map(|window| {
            let places = rows.iter().filter_map(|row| self.place(row, window));
            RankedList::new(places.collect())
        });
        let turns = rows.into_iter().map(|row| self.turn(row));
        self.kind.turns = RankedList::new(turns.collect());
    }

    /// The public rows.
    pub(crate) fn rows(&self) -> Vec<Arc<L>> {
        let turns = self.kind.turns.iter_from(0);
        turns.map(|turn| Arc::clone(&turn.row)).collect()
    }

    /// A listing, if it is public.
    pub(crate) fn row(&self, id: Uuid) -> Option<&Arc<L>> {
        let key = turn_key(self.votes(id), id);
        let turn = self.kind.turns.find(|turn| turn.key().cmp(&key));
        turn.map(|turn| &turn.row)
    }

    /// A listing has become public, is public no more, or is another row now.
    pub(crate) fn replace(&mut self, old: Option<&Arc<L>>, new: Option<Arc<L>>) {
        if let Some(old) = old {
            self.take_off(old);
        }
        if let Some(new) = new {
            self.put_on(new);
        }
    }

    /// Counts votes of an hour for and against a listing; negative ones are void.
    pub(crate) fn count(&mut self, id: Uuid, hour: Hour, wins: i64, losses: i64) {
        let row = self.row(id).map(Arc::clone);
        if let Some(row) = &row {
            self.take_off(row);
        }
        if self.tallies.entry(id).or_default().add(hour, wins, losses) {
            self.voted.entry(hour).or_default().push(id);
        }
        if let Some(row) = row {
            self.put_on(row);
        }
    }

    /// It is this hour now: votes enter and leave the windows.
    pub(crate) fn turn_to(&mut self, hour: Hour) {
        if hour == self.hour {
            return;
        }
        let (from, to) = (self.hour.min(hour), self.hour.max(hour));
        let mut touched = BTreeSet::new();
        for window in Window::ALL {
            if let (Some(from), Some(to)) = (window.first(from), window.first(to)) {
                let hours = self.voted.range(from..to);
                touched.extend(hours.flat_map(|(_, ids)| ids.iter().copied()));
            }
        }
        let rows: Vec<Arc<L>> = (touched.iter())
            .filter_map(|id| self.row(*id).map(Arc::clone))
            .collect();
        for row in &rows {
            self.take_off(row);
        }
        self.hour = hour;
        for row in rows {
            self.put_on(row);
        }
        self.forget_before(hour.oldest_kept());
    }

    /// The listings of a board in their order, as it stood when the hour `due` began; of those that are public now.
    pub(crate) fn standing_at(&self, window: Window, due: Hour) -> Vec<Uuid> {
        let rows = self.kind.turns.iter_from(0).map(|turn| &turn.row);
        let mut keys: Vec<_> = rows
            .filter_map(|row| {
                let record = self.tallies.get(row.id())?.record_at(window, due);
                (record.votes() > 0).then(|| (row.board_key(record), *row.id()))
            })
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, id)| id).collect()
    }

    fn forget_before(&mut self, oldest: Hour) {
        let kept = self.voted.split_off(&oldest);
        let forgotten = std::mem::replace(&mut self.voted, kept);
        for id in forgotten.into_values().flatten() {
            if let Some(tally) = self.tallies.get_mut(&id) {
                tally.forget_before(oldest);
            }
        }
    }

    fn votes(&self, id: Uuid) -> u32 {
        self.tallies.get(&id).map_or(0, Tally::votes)
    }

    /// The record of a listing in a window.
    pub(crate) fn record(&self, id: Uuid, window: Window) -> Record {
        let tally = self.tallies.get(&id);
        tally.map_or_else(Record::default, |tally| tally.record(window, self.hour))
    }

    fn place(&self, row: &Arc<L>, window: Window) -> Option<Place<L>> {
        let record = self.record(*row.id(), window);
        (record.votes() > 0).then(|| Place {
            record,
            row: Arc::clone(row),
        })
    }

    fn turn(&self, row: Arc<L>) -> Turn<L> {
        Turn::new(self.votes(*row.id()), row)
    }

    fn take_off(&mut self, row: &Arc<L>) {
        for window in Window::ALL {
            if let Some(place) = self.place(row, window) {
                self.kind.boards[window.index()].remove(&place);
            }
        }
        let turn = self.turn(Arc::clone(row));
        self.kind.turns.remove(&turn);
    }

    fn put_on(&mut self, row: Arc<L>) {
        for window in Window::ALL {
            if let Some(place) = self.place(&row, window) {
                self.kind.boards[window.index()].insert(place);
            }
        }
        let turn = self.turn(row);
        self.kind.turns.insert(turn);
    }
}
