//! Limits the refused calls (401, 403) of a network per minute and, with five times the limit, those of its site.
//!
//! Refused calls use no quota, so nothing else limits a client that repeats them, or one that guesses keys. Allowed calls are not counted,
//! and a key that this process has seen still works in a network without refused calls left.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::StatusCode;
use kit::{Code, Fault};
use time::{Duration, OffsetDateTime};

use kit::network::Network;

/// How long a refused call counts.
const MINUTE: Duration = Duration::MINUTE;
/// The most networks and sites that are counted, about 4 MB. Further ones wait until the minute ends.
const CAPACITY: usize = 100_000;

/// Refused calls of the current minute, by network and site. All share the minute. It begins with a
/// refused call, and its end drops all counts.
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
    /// `limit` is per minute and network.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            minute: Mutex::new(Minute { start: OffsetDateTime::UNIX_EPOCH, calls: HashMap::new() }),
        }
    }

    /// Fails with `rate_limited` if the network or its site has no refused calls left. Call it before work for a call that is likely to be refused.
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
        for (network, _) in from.counted(self.limit) {
            *minute.calls.entry(network).or_default() += 1;
        }
        error
    }

    fn lock(&self) -> MutexGuard<'_, Minute> {
        self.minute.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Minute {
    fn is_current(&self, now: OffsetDateTime) -> bool {
        now - self.start < MINUTE
    }

    fn has_room(&self, from: Network, limit: u32) -> bool {
        let mut counted = self.calls.len();
        let is_below_limits = from.counted(limit).all(|(network, limit)| {
            let calls = self.calls.get(&network);
            counted += usize::from(calls.is_none());
            calls.is_none_or(|calls| *calls < limit)
        });
        is_below_limits && counted <= CAPACITY
    }
}

fn rate_limited(start: OffsetDateTime, now: OffsetDateTime) -> Fault {
    let left = start + MINUTE - now;
    let message = "Too many calls from your network were refused (401, 403), so this one was not checked any further. Check the key \
                   and its permissions, and try again after the number of seconds in Retry-After.";
    Fault::new(Code::RateLimited, message).retry_in(left.max(Duration::SECOND))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00:30 UTC);

    fn network(number: u32) -> Network {
        IpAddr::V4(Ipv4Addr::from_bits(number)).into()
    }

    /// The IPv6 network with this number at a site.
    fn network_of_site(site: u16, number: u16) -> Network {
        IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, site, number, 0, 0, 0, 1)).into()
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
    fn a_network_is_limited_per_minute() {
        let (calls, from) = (RefusedCalls::new(2), network(1));
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert_eq!(wait(&calls, from, at(0)), None);
        assert_eq!(wait(&calls, from, at(100)), None);
        assert_eq!(wait(&calls, from, at(0)), Some(60));
        assert_eq!(wait(&calls, from, at(20_500)), Some(40));
        assert_eq!(wait(&calls, from, at(59_999)), Some(1));
        assert_eq!(wait(&calls, network(2), at(59_999)), None);
        assert_eq!(wait(&calls, from, at(60_000)), None);
    }

    #[test]
    fn a_site_is_limited_with_five_times_the_limit() {
        let calls = RefusedCalls::new(2);
        let counted = |site| {
            let networks = (0..100).map(|number| network_of_site(site, number));
            networks.filter(|from| wait(&calls, *from, START).is_none()).count()
        };
        assert_eq!((counted(1), counted(2)), (10, 10));
        // The calls that the site's limit rejected count in no network.
        assert_eq!(calls.lock().calls.len(), 2 * (10 + 1));
        assert_eq!(wait(&calls, network_of_site(1, 0), START), Some(60));
        assert_eq!(wait(&calls, network_of_site(1, 0), START + MINUTE), None);
        let one =
            (0..100).filter(|_| wait(&calls, network_of_site(1, 1), START + MINUTE).is_none());
        assert_eq!(one.count(), 2);
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
    fn the_number_of_counted_networks_is_limited() {
        let calls = RefusedCalls::new(1);
        let counted =
            (0..1_000_000).filter(|number| wait(&calls, network(*number), START).is_none()).count();
        assert_eq!(counted, CAPACITY);
        assert_eq!(calls.lock().calls.len(), CAPACITY);
        assert_eq!(wait(&calls, network(2_000_000), START + MINUTE), None);
        assert_eq!(calls.lock().calls.capacity(), 3);
    }

    #[test]
    fn sites_use_places_too() {
        let calls = RefusedCalls::new(1);
        let is_counted = |from| wait(&calls, from, START).is_none();
        let (one, other) = (network_of_site(1, 0), network_of_site(1, 1));
        assert!(is_counted(one));
        // One place is left: enough for a network of a site that is counted, not for one of another
        // site.
        let others = (3..).take(CAPACITY - 3).filter(|number| is_counted(network(*number)));
        assert_eq!(others.count(), CAPACITY - 3);
        assert!(!is_counted(network_of_site(2, 0)));
        assert!(is_counted(other));
        assert!(!is_counted(network(0)));
        assert_eq!(calls.lock().calls.len(), CAPACITY);
    }
}
