//! Sums of votes: how many each listing won and lost in each window.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::rankings::{BoardKind, Hour, Window};
use super::vote::TallyChange;

/// Wins and losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    /// Votes for the listing.
    pub wins: u32,
    /// Votes for the other one.
    pub losses: u32,
}

impl Record {
    /// How many votes name the listing.
    pub const fn votes(self) -> u32 {
        self.wins.saturating_add(self.losses)
    }

    /// The record with these votes added. Negative numbers void votes.
    #[must_use]
    pub fn plus(self, wins: i64, losses: i64) -> Self {
        Self {
            wins: plus(self.wins, wins),
            losses: plus(self.losses, losses),
        }
    }
}

fn plus(count: u32, more: i64) -> u32 {
    let sum = i64::from(count).saturating_add(more).max(0);
    u32::try_from(sum).unwrap_or(u32::MAX)
}

/// The sums of one listing.
#[derive(Debug, Clone, Copy)]
struct Tally {
    kind: BoardKind,
    /// By [`Window::index`].
    records: [Record; 3],
}

/// The sums of every listing that has votes. The votes of single hours are in the schema: which of them enter or leave a window is read
/// there when the hour turns.
#[derive(Debug, Clone)]
pub struct Tallies {
    /// The current hour, the last of every window.
    hour: Hour,
    /// Votes of this hour and later ones do not count.
    end: Option<Hour>,
    sums: HashMap<Uuid, Tally>,
}

impl Tallies {
    /// Hours by which [`Tallies::advance_to`] moves at most. The schema keeps hours for two days after they have left every window.
    const MAX_STEP: u32 = 24;

    /// No votes yet. The windows end with `hour`.
    pub fn new(hour: Hour) -> Self {
        Self {
            hour,
            end: None,
            sums: HashMap::new(),
        }
    }

    /// The same for the moment at which `hour` begins: later votes do not count.
    pub fn at_start_of(hour: Hour) -> Self {
        Self {
            end: Some(hour),
            ..Self::new(hour)
        }
    }

    /// No votes, of the same hours.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            sums: HashMap::new(),
            ..*self
        }
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

    /// The record of a listing in a window.
    pub fn record(&self, kind: BoardKind, listing: Uuid, window: Window) -> Record {
        let tally = self.sums.get(&listing).filter(|tally| tally.kind == kind);
        tally.map_or_else(Record::default, |tally| tally.records[window.index()])
    }

    /// Adds votes to every window that has their hour. An hour to come counts as the current one: the clock of the replica that took the
    /// votes may be a little ahead.
    pub fn add(&mut self, change: &TallyChange) {
        if self.end.is_none_or(|end| change.hour < end) {
            let now = self.hour;
            self.update(change, |window| i64::from(window.counts(change.hour, now)));
        }
    }

    /// The hours whose votes enter or leave a window when the current hour becomes `hour`. `None`: the step is too long, and all sums must
    /// be read again.
    pub fn moving_hours(&self, hour: Hour) -> Option<BTreeSet<Hour>> {
        let (from, to) = (self.hour.min(hour), self.hour.max(hour));
        let firsts = Window::ALL.map(|window| Some(window.first(from)?.0..window.first(to)?.0));
        let hours = firsts.into_iter().flatten().flatten().map(Hour);
        (to.0 - from.0 <= Self::MAX_STEP).then(|| hours.collect())
    }

    /// Makes `hour` the current one. `votes` has the votes of [`Tallies::moving_hours`], one item for each listing and hour.
    pub fn advance_to(&mut self, hour: Hour, votes: &[TallyChange]) {
        let before = self.hour;
        for change in votes {
            self.update(change, |window| {
                let counts = |now| i64::from(window.counts(change.hour, now));
                counts(hour) - counts(before)
            });
        }
        self.hour = hour;
    }

    fn update(&mut self, change: &TallyChange, times: impl Fn(Window) -> i64) {
        let tally = self.sums.entry(change.listing).or_insert_with(|| Tally {
            kind: change.kind,
            records: Default::default(),
        });
        for window in Window::ALL {
            let (record, times) = (&mut tally.records[window.index()], times(window));
            *record = record.plus(times * change.wins, times * change.losses);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const NOW: Hour = Hour(100_000);
    const LISTING: Uuid = Uuid::nil();

    fn change(hour: Hour, wins: i64, losses: i64) -> TallyChange {
        TallyChange {
            kind: BoardKind::Games,
            listing: LISTING,
            hour,
            wins,
            losses,
        }
    }

    fn records(tallies: &Tallies) -> [Record; 3] {
        Window::ALL.map(|window| tallies.record(BoardKind::Games, LISTING, window))
    }

    fn record(wins: u32, losses: u32) -> Record {
        Record { wins, losses }
    }

    #[test]
    fn votes_leave_a_window_with_their_hour() {
        let mut tallies = Tallies::new(NOW);
        tallies.add(&change(NOW, 1, 0));
        tallies.add(&change(NOW, 0, 1));
        let (none, one) = (record(0, 0), record(1, 1));
        let votes = [change(NOW, 1, 1)];
        for (hours, expected) in [
            (0, [one, one, one]),
            (167, [one, one, one]),
            (168, [none, one, one]),
            (719, [none, one, one]),
            (720, [none, none, one]),
            // The clock is set back.
            (700, [none, one, one]),
            (1, [one, one, one]),
        ] {
            tallies.advance_to(Hour(NOW.0 + hours), &votes);
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
        let other = tallies.record(BoardKind::Creators, LISTING, Window::All);
        assert_eq!(other, record(0, 0));
    }

    #[test]
    fn hours_that_move_are_those_at_the_ends_of_the_windows() {
        let tallies = Tallies::new(NOW);
        let moving = |hour| tallies.moving_hours(Hour(hour));
        let hours = |hours: [u32; 2]| Some(hours.map(Hour).into_iter().collect());
        assert_eq!(moving(NOW.0), Some(BTreeSet::new()));
        assert_eq!(moving(NOW.0 + 1), hours([NOW.0 - 719, NOW.0 - 167]));
        assert_eq!(moving(NOW.0 - 1), hours([NOW.0 - 720, NOW.0 - 168]));
        assert_eq!(moving(NOW.0 + 24).map(|hours| hours.len()), Some(48));
        assert_eq!(moving(NOW.0 + 25), None);
    }

    proptest! {
        #[test]
        fn a_window_is_the_sum_of_its_votes(
            steps in prop::collection::vec((0..800_u32, any::<bool>(), any::<bool>(), -24..25_i64), 0..60),
        ) {
            let mut now = NOW;
            let mut tallies = Tallies::new(now);
            let mut by_hour: BTreeMap<Hour, (i64, i64)> = BTreeMap::new();
            for (ago, won, voided, hours) in steps {
                let hour = now.before(ago);
                let (wins, losses) = if won { (1, 0) } else { (0, 1) };
                tallies.add(&change(hour, wins, losses));
                if voided {
                    tallies.add(&change(hour, -wins, -losses));
                } else {
                    let sum = by_hour.entry(hour).or_default();
                    *sum = (sum.0 + wins, sum.1 + losses);
                }
                let next = Hour(u32::try_from(i64::from(now.0) + hours).unwrap());
                let moving = tallies.moving_hours(next).unwrap();
                let moving = by_hour.iter().filter(|(hour, _)| moving.contains(hour));
                let votes: Vec<_> = moving.map(|(hour, sum)| change(*hour, sum.0, sum.1)).collect();
                tallies.advance_to(next, &votes);
                now = next;
                let expected = [168, 720, 200_000].map(|hours| {
                    let counted = by_hour.iter().filter(|(hour, _)| hour.0 + hours > now.0);
                    counted.fold(record(0, 0), |sum, (_, votes)| sum.plus(votes.0, votes.1))
                });
                prop_assert_eq!(records(&tallies), expected);
            }
        }
    }
}
