//! Sums of votes: the wins and losses of each listing in each window.

use std::collections::HashMap;

use uuid::Uuid;

use super::rankings::{BoardKind, Hour, Window};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    /// Votes for the listing.
    pub wins: u32,
    /// Votes for the other listing of a pair.
    pub losses: u32,
}

impl Record {
    /// The number of votes on the listing.
    pub const fn votes(self) -> u32 {
        self.wins.saturating_add(self.losses)
    }

    /// The record with these votes added. Negative numbers void votes.
    #[must_use]
    pub fn plus(self, wins: i64, losses: i64) -> Self {
        Self { wins: plus(self.wins, wins), losses: plus(self.losses, losses) }
    }
}

fn plus(count: u32, more: i64) -> u32 {
    let sum = i64::from(count).saturating_add(more).max(0);
    u32::try_from(sum).unwrap_or(u32::MAX)
}

/// Votes of an hour for and against a listing. Negative numbers void votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::module_name_repetitions, reason = "a `Change` is that of a feed")]
pub struct TallyChange {
    pub kind: BoardKind,
    pub listing: Uuid,
    /// The hour in which the votes were cast.
    pub hour: Hour,
    /// Votes for the listing.
    pub wins: i64,
    /// Votes for the other listing of the pair.
    pub losses: i64,
}

#[derive(Debug, Clone, Copy)]
struct Tally {
    kind: BoardKind,
    /// By [`Window::index`].
    records: [Record; 3],
}

/// The sums of every listing that has votes.
#[derive(Debug, Clone)]
pub struct Tallies {
    /// The current hour, the last of every window.
    hour: Hour,
    /// Votes of this hour and later ones do not count.
    end: Option<Hour>,
    sums: HashMap<Uuid, Tally>,
}

impl Tallies {
    /// No votes yet. The windows end with `hour`.
    pub fn new(hour: Hour) -> Self {
        Self { hour, end: None, sums: HashMap::new() }
    }

    /// No votes yet, at the moment at which `hour` begins: later votes do not count.
    pub fn at_start_of(hour: Hour) -> Self {
        Self { end: Some(hour), ..Self::new(hour) }
    }

    /// The last hour of every window.
    pub const fn hour(&self) -> Hour {
        self.hour
    }

    /// Votes of this hour and later ones do not count.
    pub const fn end(&self) -> Option<Hour> {
        self.end
    }

    /// Sets the sums of a listing, by [`Window::index`].
    pub fn insert(&mut self, kind: BoardKind, listing: Uuid, records: [Record; 3]) {
        self.sums.insert(listing, Tally { kind, records });
    }

    /// The records of a listing, by [`Window::index`], if it ever got a vote.
    pub fn records(&self, kind: BoardKind, listing: &Uuid) -> Option<[Record; 3]> {
        let tally = self.sums.get(listing).filter(|tally| tally.kind == kind);
        tally.map(|tally| tally.records)
    }

    /// Adds votes to every window that has their hour.
    pub fn add(&mut self, change: &TallyChange) {
        if self.end.is_some_and(|end| change.hour >= end) {
            return;
        }
        let tally = self
            .sums
            .entry(change.listing)
            .or_insert_with(|| Tally { kind: change.kind, records: Default::default() });
        for window in Window::ALL {
            if window.counts(change.hour, self.hour) {
                let record = &mut tally.records[window.index()];
                *record = record.plus(change.wins, change.losses);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Hour = Hour(100_000);
    const LISTING: Uuid = Uuid::nil();

    fn change(hour: Hour, wins: i64, losses: i64) -> TallyChange {
        TallyChange { kind: BoardKind::Games, listing: LISTING, hour, wins, losses }
    }

    fn records(tallies: &Tallies) -> [Record; 3] {
        let records = tallies.records(BoardKind::Games, &LISTING);
        records.unwrap_or_default()
    }

    fn record(wins: u32, losses: u32) -> Record {
        Record { wins, losses }
    }

    #[test]
    fn votes_leave_a_window_with_their_hour() {
        let (none, one) = (record(0, 0), record(1, 1));
        for (hours, expected) in [
            (0, [one, one, one]),
            (167, [one, one, one]),
            (168, [none, one, one]),
            (719, [none, one, one]),
            (720, [none, none, one]),
        ] {
            let mut tallies = Tallies::new(Hour(NOW.0 + hours));
            tallies.add(&change(NOW, 1, 0));
            tallies.add(&change(NOW, 0, 1));
            assert_eq!(records(&tallies), expected, "{hours}");
        }
    }

    #[test]
    fn tallies_of_the_start_of_an_hour_have_no_later_votes() {
        let mut tallies = Tallies::at_start_of(NOW);
        tallies.add(&change(NOW.before(1), 3, 1));
        tallies.add(&change(NOW, 5, 0));
        tallies.add(&change(NOW.next(), 7, 0));
        assert_eq!(records(&tallies), [record(3, 1); 3]);
    }

    #[test]
    fn a_listing_of_the_other_kind_has_no_votes() {
        let mut tallies = Tallies::new(NOW);
        tallies.add(&change(NOW, 1, 0));
        assert_eq!(tallies.records(BoardKind::Creators, &LISTING), None);
    }
}
