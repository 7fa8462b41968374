//! How many unknown keys an address may have looked up in a minute. Whoever guesses keys meets this bound before PostgreSQL.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

use crate::domain::address::Network;

/// How long a look-up counts. It is also the longest that anybody waits.
const MINUTE: Duration = Duration::MINUTE;
/// Addresses that are counted at most, about 4 MB; from another one nothing unknown is looked up in that minute.
const MOST: usize = 100_000;

/// The look-ups of unknown keys in this minute, by address. One minute for all: it begins with a look-up, and at its end everything
/// is forgotten at once.
#[derive(Debug)]
pub(super) struct Guesses {
    limit: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    asked: HashMap<Network, u32>,
}

/// A look-up that was counted, in the minute that began then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted(OffsetDateTime);

impl Guesses {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            minute: Mutex::new(Minute {
                start: OffsetDateTime::UNIX_EPOCH,
                asked: HashMap::new(),
            }),
        }
    }

    /// Counts a look-up for `from`; the error is how many seconds it has to wait.
    pub(super) fn count(&self, from: Network, now: OffsetDateTime) -> Result<Counted, u32> {
        let mut minute = self.lock();
        if (now - minute.start).abs() >= MINUTE {
            *minute = Minute {
                start: now,
                asked: HashMap::new(),
            };
        }
        let full = minute.asked.len() >= MOST;
        let start = minute.start;
        let asked = match minute.asked.get_mut(&from) {
            Some(asked) => asked,
            None if full => return Err(wait(start, now)),
            None => minute.asked.entry(from).or_default(),
        };
        if *asked >= self.limit {
            return Err(wait(start, now));
        }
        *asked += 1;
        Ok(Counted(start))
    }

    /// Takes a look-up back: somebody has the key.
    pub(super) fn take_back(&self, from: Network, counted: Counted) {
        let mut minute = self.lock();
        if minute.start == counted.0
            && let Some(asked) = minute.asked.get_mut(&from)
        {
            *asked = asked.saturating_sub(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Minute> {
        self.minute.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whole seconds until the minute is over, rounded up, from 1 to 60.
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
    fn an_address_has_its_look_ups_and_then_waits_for_the_minute() {
        let (guesses, from) = (Guesses::new(2), network(1));
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert!(guesses.count(from, at(0)).is_ok());
        assert!(guesses.count(from, at(100)).is_ok());
        assert_eq!(guesses.count(from, at(0)), Err(60));
        assert_eq!(guesses.count(from, at(20_500)), Err(40));
        assert_eq!(guesses.count(from, at(59_999)), Err(1));
        assert!(guesses.count(network(2), at(59_999)).is_ok());
        assert!(guesses.count(from, at(60_000)).is_ok());
        // A clock that was set back does not keep anybody waiting for longer.
        assert!(guesses.count(from, at(-3_600_000)).is_ok());
    }

    #[test]
    fn a_key_that_somebody_has_does_not_count() {
        let (guesses, from) = (Guesses::new(1), network(1));
        for _ in 0..3 {
            let counted = guesses.count(from, START).unwrap();
            guesses.take_back(from, counted);
        }
        let counted = guesses.count(from, START).unwrap();
        let next = START + MINUTE;
        assert!(guesses.count(from, next).is_ok());
        // Of a minute that is over nothing is taken back.
        guesses.take_back(from, counted);
        assert!(guesses.count(from, next).is_err());
    }

    #[test]
    fn a_million_addresses_take_no_more_memory_than_a_hundred_thousand() {
        let guesses = Guesses::new(1);
        let counted = (0..1_000_000)
            .filter(|number| guesses.count(network(*number), START).is_ok())
            .count();
        assert_eq!(counted, MOST);
        assert_eq!(guesses.lock().asked.len(), MOST);
        assert!(guesses.count(network(2_000_000), START + MINUTE).is_ok());
        assert_eq!(guesses.lock().asked.capacity(), 3);
    }
}
