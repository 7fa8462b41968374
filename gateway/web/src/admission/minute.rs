//! Counts per minute in the memory of this replica.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};

use time::{Duration, OffsetDateTime};

use super::limit::Count;
use crate::domain::subject::Subject;

pub(super) const MINUTE: Duration = Duration::MINUTE;
/// The most subjects with a count of their own, about 8 MB. Further ones share the counts of
/// buckets.
const CAPACITY: usize = 100_000;
/// The buckets of a limit. There are many, so that a flood from many networks does not use up the
/// bucket of every other client.
const BUCKETS: u64 = 1_024;
/// The limit of a bucket, as a multiple of the limit of a subject.
const LIMIT_OF_BUCKET: u32 = 10;

/// What is counted: the name of a limit with a subject, or with a bucket of subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Subject(&'static str, Subject),
    Bucket(&'static str, u64),
}

/// The counts of the current minute, which all subjects share.
#[derive(Debug, Default)]
pub(super) struct MinuteCounts {
    /// Assigns subjects to buckets.
    buckets: RandomState,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    counts: HashMap<Key, u32>,
}

impl Default for Minute {
    fn default() -> Self {
        Self { start: OffsetDateTime::UNIX_EPOCH, counts: HashMap::new() }
    }
}

impl MinuteCounts {
    /// Counts a request for all of these limits, or for none: beyond one of them, it returns the
    /// seconds until the minute ends.
    pub(super) fn count(&self, counts: &[Count], now: OffsetDateTime) -> Result<(), u32> {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        if now - minute.start >= MINUTE {
            *minute = Minute { start: now, counts: HashMap::new() };
        }
        let counted: Vec<(Key, u32)> = counts
            .iter()
            .map(|Count { limit, subject, .. }| {
                let key = Key::Subject(limit.name, *subject);
                if minute.counts.len() < CAPACITY || minute.counts.contains_key(&key) {
                    return (key, limit.most);
                }
                let bucket = self.buckets.hash_one(subject) % BUCKETS;
                (Key::Bucket(limit.name, bucket), limit.most.saturating_mul(LIMIT_OF_BUCKET))
            })
            .collect();
        let is_used_up = |&(key, most): &(Key, u32)| {
            minute.counts.get(&key).copied().unwrap_or_default() >= most
        };
        if counted.iter().any(is_used_up) {
            let left = minute.start + MINUTE - now;
            let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
            return Err(u32::try_from(seconds.max(1)).unwrap_or(1));
        }
        for (key, _) in counted {
            *minute.counts.entry(key).or_default() += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use time::macros::datetime;

    use super::super::limit::Limit;
    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00:30 UTC);

    fn network(number: u32, most: u32) -> Count {
        let network = IpAddr::V4(Ipv4Addr::from_bits(number)).into();
        Limit::new("pages", most, MINUTE).count(Subject::Network(network))
    }

    #[test]
    fn requests_are_limited_per_subject_and_minute() {
        let minute = MinuteCounts::default();
        let count = |number, milliseconds| {
            minute.count(&[network(number, 2)], START + Duration::milliseconds(milliseconds))
        };
        assert_eq!(count(1, 0), Ok(()));
        assert_eq!(count(1, 1), Ok(()));
        assert_eq!(count(1, 20_500), Err(40));
        assert_eq!(count(2, 20_500), Ok(()));
        assert_eq!(count(1, 59_999), Err(1));
        assert_eq!(count(1, 60_000), Ok(()));
    }

    #[test]
    fn a_refused_request_uses_up_no_limit_and_adds_no_count() {
        let minute = MinuteCounts::default();
        let both = [network(1, 1), network(2, 5)];
        assert_eq!(minute.count(&both, START), Ok(()));
        assert!((0..10).all(|_| minute.count(&both, START).is_err()));
        let refused = [network(3, 5), network(1, 1)];
        assert!(minute.count(&refused, START).is_err());
        let left = (0..10).filter(|_| minute.count(&[network(2, 5)], START).is_ok());
        assert_eq!(left.count(), 4);
        assert_eq!(minute.minute.lock().unwrap().counts.len(), 2);
    }

    #[test]
    fn at_capacity_newcomers_share_counts() {
        let minute = MinuteCounts::default();
        let newcomers = u32::try_from(CAPACITY).unwrap()..;
        for number in 0..newcomers.start {
            assert_eq!(minute.count(&[network(number, 1)], START), Ok(()));
        }
        let allowed = |count| {
            let mut newcomers = newcomers.clone().take(count);
            newcomers.all(|number| minute.count(&[network(number, 1)], START).is_ok())
        };
        // Newcomers share counts. A count allows ten.
        assert!(allowed(10));
        assert!(!allowed(20_000));
        // Subjects that were counted before keep their own counts.
        assert_eq!(minute.count(&[network(0, 1)], START), Err(60));
        let counted = minute.minute.lock().unwrap().counts.len();
        assert!(counted <= CAPACITY + 1_024, "{counted}");
    }
}
