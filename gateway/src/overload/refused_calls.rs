//! Limits the refused calls (401, 403) of an address per minute.
//!
//! Refused calls use no quota, so nothing else limits a client that repeats them, or one that guesses keys. Allowed calls are not counted,
//! and a key that this process has seen works on at an address without refused calls left.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::StatusCode;
use kit::{Code, Fault};
use time::{Duration, OffsetDateTime};

use kit::network::Network;

/// How long a refused call counts, and the longest wait.
const MINUTE: Duration = Duration::MINUTE;
/// The most addresses that are counted, about 4 MB. Further ones wait until the minute ends.
const CAPACITY: usize = 100_000;

/// Refused calls of the current minute, by address. All addresses share the minute. It begins with a refused call, and its end drops
/// all counts.
#[derive(Debug)]
pub struct RefusedCalls {
    limit: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    calls: HashMap<Network, u32>,
}

impl RefusedCalls {
    /// `limit` is per minute and address.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            minute: Mutex::new(Minute { start: OffsetDateTime::UNIX_EPOCH, calls: HashMap::new() }),
        }
    }

    /// Fails with `rate_limited` if the address has no refused calls left. Call it before work for a call that is likely to be refused.
    pub(crate) fn check(&self, from: Network, now: OffsetDateTime) -> Result<(), Fault> {
        let minute = self.lock();
        if !minute.is_current(now) || minute.has_room(from, self.limit) {
            return Ok(());
        }
        Err(rate_limited(minute.start, now))
    }

    /// Whether an error counts: it refuses the caller (401, 403).
    pub(crate) fn counts(error: &Fault) -> bool {
        let status = error.code.status();
        matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
    }

    /// Counts a call that ends with this error. A refusal beyond the limit becomes `rate_limited`.
    pub(crate) fn count(&self, error: Fault, from: Network, now: OffsetDateTime) -> Fault {
        if !Self::counts(&error) {
            return error;
        }
        let mut minute = self.lock();
        if !minute.is_current(now) {
            *minute = Minute { start: now, calls: HashMap::new() };
        }
        if !minute.has_room(from, self.limit) {
            return rate_limited(minute.start, now);
        }
        *minute.calls.entry(from).or_default() += 1;
        error
    }

    fn lock(&self) -> MutexGuard<'_, Minute> {
        self.minute.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Minute {
    fn is_current(&self, now: OffsetDateTime) -> bool {
        (now - self.start).abs() < MINUTE
    }

    fn has_room(&self, from: Network, limit: u32) -> bool {
        match self.calls.get(&from) {
            Some(calls) => *calls < limit,
            None => self.calls.len() < CAPACITY,
        }
    }
}

fn rate_limited(start: OffsetDateTime, now: OffsetDateTime) -> Fault {
    // After the clock was set back, no address waits longer than a minute.
    let left = (start + MINUTE - now).min(MINUTE);
    let message = "Too many calls from your address were refused (401, 403), so this one was not checked any further. Check the key \
                   and its permissions, and try again after the number of seconds in Retry-After.";
    Fault::new(Code::RateLimited, message).retry_in(left.max(Duration::SECOND))
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

    /// The `Retry-After` of a refused call beyond the limit; `None` if the call was counted.
    fn wait(calls: &RefusedCalls, from: Network, now: OffsetDateTime) -> Option<u32> {
        let checked = calls.check(from, now);
        let counted = calls.count(Fault::new(Code::InvalidKey, ""), from, now);
        let wait = (counted.code == Code::RateLimited).then(|| counted.retry_after.unwrap());
        assert_eq!(checked.err().map(|fault| fault.retry_after.unwrap()), wait);
        wait
    }

    #[test]
    fn an_address_is_limited_per_minute() {
        let (calls, from) = (RefusedCalls::new(2), network(1));
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert_eq!(wait(&calls, from, at(0)), None);
        assert_eq!(wait(&calls, from, at(100)), None);
        assert_eq!(wait(&calls, from, at(0)), Some(60));
        assert_eq!(wait(&calls, from, at(20_500)), Some(40));
        assert_eq!(wait(&calls, from, at(59_999)), Some(1));
        assert_eq!(wait(&calls, network(2), at(59_999)), None);
        assert_eq!(wait(&calls, from, at(60_000)), None);
        // When the clock is set back, a new window starts.
        assert_eq!(wait(&calls, from, at(-3_600_000)), None);
    }

    #[test]
    fn only_refusals_count() {
        let (calls, from) = (RefusedCalls::new(1), network(1));
        for code in [Code::Unavailable, Code::ModuleOff, Code::RateLimited] {
            let fault = calls.count(Fault::new(code, ""), from, START);
            assert_eq!(fault.code, code);
        }
        for expected in [Code::PlanRequired, Code::RateLimited] {
            let fault = calls.count(Fault::new(Code::PlanRequired, ""), from, START);
            assert_eq!(fault.code, expected);
        }
    }

    #[test]
    fn the_number_of_counted_addresses_is_limited() {
        let calls = RefusedCalls::new(1);
        let counted =
            (0..1_000_000).filter(|number| wait(&calls, network(*number), START).is_none()).count();
        assert_eq!(counted, CAPACITY);
        assert_eq!(calls.lock().calls.len(), CAPACITY);
        assert_eq!(wait(&calls, network(2_000_000), START + MINUTE), None);
        assert_eq!(calls.lock().calls.capacity(), 3);
    }
}
