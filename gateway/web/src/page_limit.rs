//! Limits how many public pages one network may ask for in a minute, so that a scraper does not take the catalogue from the callers of the
//! API, and how many pages one person who is signed in, of the public site and the dashboard together. Each replica counts for itself.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kit::client_address::Network;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const MINUTE: Duration = Duration::MINUTE;
/// Counted visitors at most, about 4 MB. Further ones wait until the minute ends.
const CAPACITY: usize = 100_000;

/// Who is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visitor {
    Network(Network),
    Person(Uuid),
}

/// The pages of the current minute. All visitors share one minute.
#[derive(Debug)]
pub struct PageLimit {
    /// Of a network.
    pages: u32,
    pages_of_person: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    pages: HashMap<Visitor, u32>,
}

impl PageLimit {
    /// Both are per minute: of one network, and of one person.
    pub fn new(pages: u32, pages_of_person: u32) -> Self {
        Self {
            pages,
            pages_of_person,
            minute: Mutex::new(Minute {
                start: OffsetDateTime::UNIX_EPOCH,
                pages: HashMap::new(),
            }),
        }
    }

    /// Counts a page; beyond the limit, returns the seconds until the minute ends.
    pub fn count(&self, visitor: Visitor, now: OffsetDateTime) -> Result<(), u32> {
        let limit = match visitor {
            Visitor::Network(_) => self.pages,
            Visitor::Person(_) => self.pages_of_person,
        };
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        // The clock may have been set back.
        if (now - minute.start).abs() >= MINUTE {
            *minute = Minute {
                start: now,
                pages: HashMap::new(),
            };
        }
        let has_room = match minute.pages.get(&visitor) {
            Some(pages) => *pages < limit,
            None => minute.pages.len() < CAPACITY,
        };
        if has_room {
            *minute.pages.entry(visitor).or_default() += 1;
            return Ok(());
        }
        let left = (minute.start + MINUTE - now).min(MINUTE);
        let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
        Err(u32::try_from(seconds.max(1)).unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00:30 UTC);

    fn network(number: u32) -> Visitor {
        Visitor::Network(IpAddr::V4(Ipv4Addr::from_bits(number)).into())
    }

    #[test]
    fn a_network_has_so_many_pages_a_minute() {
        let limit = PageLimit::new(2, 20);
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert_eq!(limit.count(network(1), at(0)), Ok(()));
        assert_eq!(limit.count(network(1), at(1)), Ok(()));
        assert_eq!(limit.count(network(1), at(20_500)), Err(40));
        assert_eq!(limit.count(network(2), at(20_500)), Ok(()));
        assert_eq!(limit.count(network(1), at(59_999)), Err(1));
        assert_eq!(limit.count(network(1), at(60_000)), Ok(()));
        // The clock was set back.
        assert_eq!(limit.count(network(1), at(-3_600_000)), Ok(()));
    }

    #[test]
    fn a_person_has_more_and_the_count_has_a_bound() {
        let limit = PageLimit::new(1, 10);
        let person = Visitor::Person(Uuid::nil());
        let allowed = (0..100).filter(|_| limit.count(person, START).is_ok());
        assert_eq!(allowed.count(), 10);
        let allowed = (0..200_000).filter(|number| limit.count(network(*number), START).is_ok());
        assert_eq!(allowed.count(), CAPACITY - 1);
    }
}
