//! Limits lookups of unknown keys per address and minute. An address that guesses keys is stopped here, before PostgreSQL.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

use crate::domain::address::Network;

/// How long a lookup counts. It is also the longest wait.
const MINUTE: Duration = Duration::MINUTE;
/// Counted addresses at most, about 4 MB. Further addresses get no lookups of unknown keys until the minute ends.
const CAPACITY: usize = 100_000;

/// The lookups of unknown keys in the current minute, by address. All addresses share one minute: it begins with a lookup, and at
/// its end all counts are dropped.
#[derive(Debug)]
pub(super) struct UnknownKeyLimiter {
    limit: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    lookups: HashMap<Network, u32>,
}

/// A counted lookup, with the start of its minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedLookup(OffsetDateTime);

impl UnknownKeyLimiter {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            minute: Mutex::new(Minute {
                start: OffsetDateTime::UNIX_EPOCH,
                lookups: HashMap::new(),
            }),
        }
    }

    /// Counts a lookup. The error is the wait in seconds.
    pub(super) fn consume(&self, from: Network, now: OffsetDateTime) -> Result<CountedLookup, u32> {
        let mut minute = self.lock();
        if (now - minute.start).abs() >= MINUTE {
            *minute = Minute {
                start: now,
                lookups: HashMap::new(),
            };
        }
        let full = minute.lookups.len() >= CAPACITY;
        let start = minute.start;
        let lookups = match minute.lookups.get_mut(&from) {
            Some(lookups) => lookups,
            None if full => return Err(wait(start, now)),
            None => minute.lookups.entry(from).or_default(),
        };
        if *lookups >= self.limit {
            return Err(wait(start, now));
        }
        *lookups += 1;
        Ok(CountedLookup(start))
    }

    /// Takes a lookup back because the key exists.
    pub(super) fn refund(&self, from: Network, counted: CountedLookup) {
        let mut minute = self.lock();
        if minute.start == counted.0
            && let Some(lookups) = minute.lookups.get_mut(&from)
        {
            *lookups = lookups.saturating_sub(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Minute> {
        self.minute.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whole seconds until the minute ends, rounded up, from 1 to 60.
fn wait(start: OffsetDateTime, now: OffsetDateTime) -> u32 {
    let left = (start + MINUTE - now).min(MINUTE);
    let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
    u32::try_from(seconds.max(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00:30 UTC);

    fn network(number: u32) -> Network {
        IpAddr::V4(Ipv4Addr::from_bits(number)).into()
    }

    #[test]
    fn an_address_is_limited_per_minute() {
        let (limiter, from) = (UnknownKeyLimiter::new(2), network(1));
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert!(limiter.consume(from, at(0)).is_ok());
        assert!(limiter.consume(from, at(100)).is_ok());
        assert_eq!(limiter.consume(from, at(0)), Err(60));
        assert_eq!(limiter.consume(from, at(20_500)), Err(40));
        assert_eq!(limiter.consume(from, at(59_999)), Err(1));
        assert!(limiter.consume(network(2), at(59_999)).is_ok());
        assert!(limiter.consume(from, at(60_000)).is_ok());
        // After the clock was set back, no address waits longer than a minute.
        assert!(limiter.consume(from, at(-3_600_000)).is_ok());
    }

    #[test]
    fn an_existing_key_is_refunded() {
        let (limiter, from) = (UnknownKeyLimiter::new(1), network(1));
        for _ in 0..3 {
            let counted = limiter.consume(from, START).unwrap();
            limiter.refund(from, counted);
        }
        let counted = limiter.consume(from, START).unwrap();
        let next = START + MINUTE;
        assert!(limiter.consume(from, next).is_ok());
        // A refund for an earlier minute is ignored.
        limiter.refund(from, counted);
        assert!(limiter.consume(from, next).is_err());
    }

    #[test]
    fn the_number_of_counted_addresses_is_limited() {
        let limiter = UnknownKeyLimiter::new(1);
        let counted = (0..1_000_000)
            .filter(|number| limiter.consume(network(*number), START).is_ok())
            .count();
        assert_eq!(counted, CAPACITY);
        assert_eq!(limiter.lock().lookups.len(), CAPACITY);
        assert!(limiter.consume(network(2_000_000), START + MINUTE).is_ok());
        assert_eq!(limiter.lock().lookups.capacity(), 3);
    }
}
