//! The votes of a listing, counted by the hour.

use super::rankings::{Hour, Window};

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

    /// The record with these counted as well; with negative ones, votes that are void count no more.
    #[must_use]
    pub fn plus(self, wins: i64, losses: i64) -> Self {
        Self {
            wins: plus(self.wins, wins),
            losses: plus(self.losses, losses),
        }
    }

    fn and(self, other: Self) -> Self {
        self.plus(other.wins.into(), other.losses.into())
    }

    fn without(self, other: Self) -> Self {
        self.plus(-i64::from(other.wins), -i64::from(other.losses))
    }
}

fn plus(count: u32, more: i64) -> u32 {
    let sum = i64::from(count).saturating_add(more).max(0);
    u32::try_from(sum).unwrap_or(u32::MAX)
}

/// The votes of a listing: all of them, and those of each hour that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    all: Record,
    /// Hours with votes, the earliest first.
    hours: Vec<(Hour, Record)>,
}

impl Tally {
    /// The tally with these votes in all, and these hours, the earliest first.
    pub fn new(all: Record, mut hours: Vec<(Hour, Record)>) -> Self {
        hours.shrink_to_fit();
        Self { all, hours }
    }

    /// How many votes name the listing, in all.
    pub fn votes(&self) -> u32 {
        self.all.votes()
    }

    /// Counts votes of an hour. Says whether the hour had none yet.
    pub fn add(&mut self, hour: Hour, wins: i64, losses: i64) -> bool {
        self.all = self.all.plus(wins, losses);
        let place = self.hours.binary_search_by_key(&hour, |(hour, _)| *hour);
        match place {
            Ok(at) => {
                self.hours[at].1 = self.hours[at].1.plus(wins, losses);
                false
            }
            Err(at) => {
                let record = Record::default().plus(wins, losses);
                self.hours.insert(at, (hour, record));
                true
            }
        }
    }

    /// The record in a window that ends with `now`, as far as votes have come: another replica's clock may be a little ahead.
    pub fn record(&self, window: Window, now: Hour) -> Record {
        match window.first(now) {
            None => self.all,
            Some(first) => self.sum(|hour| hour >= first),
        }
    }

    /// The record as it was when the hour `due` began: votes from then on do not count.
    pub fn record_at(&self, window: Window, due: Hour) -> Record {
        match window.first(due) {
            None => self.all.without(self.sum(|hour| hour >= due)),
            Some(first) => self.sum(|hour| (first..due).contains(&hour)),
        }
    }

    /// Keeps no hour before this one; in all, its votes count on.
    pub fn remove_before(&mut self, oldest: Hour) {
        let kept = self.hours.partition_point(|(hour, _)| *hour < oldest);
        self.hours.drain(..kept);
    }

    /// The hours that have votes.
    pub fn hours(&self) -> impl Iterator<Item = Hour> {
        self.hours.iter().map(|(hour, _)| *hour)
    }

    fn sum(&self, counts: impl Fn(Hour) -> bool) -> Record {
        let counted = self.hours.iter().filter(|(hour, _)| counts(*hour));
        counted.fold(Record::default(), |sum, (_, record)| sum.and(*record))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Hour = Hour(100_000);

    fn record(wins: u32, losses: u32) -> Record {
        Record { wins, losses }
    }

    #[test]
    fn votes_leave_a_window_with_their_hour() {
        let mut tally = Tally::default();
        assert!(tally.add(NOW, 1, 0));
        assert!(!tally.add(NOW, 0, 1));
        assert_eq!(tally.record(Window::Week, NOW), record(1, 1));
        assert_eq!(tally.record(Window::Week, Hour(NOW.0 + 167)), record(1, 1));
        assert_eq!(tally.record(Window::Week, Hour(NOW.0 + 168)), record(0, 0));
        assert_eq!(tally.record(Window::Month, Hour(NOW.0 + 719)), record(1, 1));
        assert_eq!(tally.record(Window::Month, Hour(NOW.0 + 720)), record(0, 0));
        assert_eq!(tally.record(Window::All, Hour(NOW.0 + 9_999)), record(1, 1));
    }

    #[test]
    fn a_snapshot_that_is_taken_late_is_the_one_that_was_due() {
        let mut tally = Tally::default();
        tally.add(NOW.before(1), 3, 1);
        tally.add(NOW, 5, 0);
        tally.add(NOW.next(), 7, 0);
        for window in Window::ALL {
            assert_eq!(tally.record_at(window, NOW), record(3, 1), "{window:?}");
        }
    }

    #[test]
    fn what_is_forgotten_still_counts_in_all() {
        let mut tally = Tally::default();
        tally.add(NOW.before(800), 2, 0);
        tally.add(NOW, 1, 1);
        tally.remove_before(NOW.oldest_kept());
        assert_eq!(tally.hours().collect::<Vec<_>>(), [NOW]);
        assert_eq!(tally.record(Window::All, NOW), record(3, 1));
    }

    proptest! {
        #[test]
        fn a_window_is_the_sum_of_its_votes(
            votes in prop::collection::vec((0..1_000_u32, any::<bool>()), 0..60),
            voided in prop::collection::vec(any::<bool>(), 60),
            now in 0..1_000_u32,
        ) {
            let mut tally = Tally::default();
            let mut counted = Vec::new();
            for (vote, voided) in votes.iter().zip(&voided) {
                let (wins, losses) = if vote.1 { (1, 0) } else { (0, 1) };
                tally.add(Hour(vote.0), wins, losses);
                if *voided {
                    tally.add(Hour(vote.0), -wins, -losses);
                } else {
                    counted.push(*vote);
                }
            }
            let sum = |counts: &dyn Fn(u32) -> bool| {
                let counted = counted.iter().filter(|(hour, _)| counts(*hour));
                let wins = counted.clone().filter(|(_, won)| *won).count();
                let losses = counted.count() - wins;
                record(u32::try_from(wins).unwrap(), u32::try_from(losses).unwrap())
            };
            for (window, hours) in [(Window::Week, 168), (Window::Month, 720), (Window::All, 10_000)] {
                prop_assert_eq!(tally.record(window, Hour(now)), sum(&|hour| hour + hours > now));
                prop_assert_eq!(
                    tally.record_at(window, Hour(now)),
                    sum(&|hour| hour < now && hour + hours > now)
                );
            }
        }
    }
}
