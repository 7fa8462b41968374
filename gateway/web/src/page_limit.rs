//! Limits how many pages a visitor may request per minute, before they cost a statement or a call. Each replica counts separately.
//!
//! A network has a limit for public pages, so that a scraper does not slow the catalogue down for callers of the API. It is high, since a
//! carrier or a campus may have thousands of people behind one address. A visitor has a lower limit: a browser of a network for public
//! pages, and a signed-in person for pages of the public site and the dashboard together. Browsers on most Android phones send the same
//! headers, and many people of a carrier may count as one browser: its limit is by default half of the network's, which is low enough to
//! keep one runaway browser from locking the others out. Pictures, the requests of people whom nobody knows yet, and cookies of no session
//! are counted apart: a scraper keeps no neighbour from signing in, and neither keeps those out who are signed in.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};

use kit::network::Network;
use moka::future::Cache;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::session_token::TokenHash;

const MINUTE: Duration = Duration::MINUTE;
/// The most visitors that have a count of their own, about 6 MB. Further visitors share the counts of buckets.
const CAPACITY: usize = 100_000;
/// The number of buckets. There are many, so that a flood from many addresses does not exhaust every further visitor's bucket.
const BUCKETS: u64 = 1_024;
/// A bucket's limit, as a multiple of a network's limit.
const OF_BUCKET: u32 = 10;
/// How long a session that was found is admitted without a limit of its network, and the most of them.
const SESSION_IS_KNOWN: std::time::Duration = std::time::Duration::from_mins(30);
const MAX_SESSIONS: u64 = 100_000;
/// The pictures of a network, as a multiple of its pages: a list shows 24, and browsers keep them.
const PICTURES_PER_PAGE: u32 = 10;

/// A visitor whose pages are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visitor {
    Network(Network),
    /// The requests of a network whose person is not known: to sign in, for the link of a mail, or with a vote.
    Unknown(Network),
    /// The requests of a network with a cookie of no session.
    Cookies(Network),
    /// The pictures that a network reads.
    Pictures(Network),
    /// Browsers of a network with the same headers: no cookie tells them apart.
    Browser {
        network: Network,
        /// The hash of the headers that name the browser and its languages.
        headers: u64,
    },
    Person(Uuid),
}

/// The key of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Counted {
    Visitor(Visitor),
    Bucket(u64),
}

/// The pages of the current minute. All visitors share one minute.
#[derive(Debug)]
pub struct PageLimit {
    /// The limit of a network.
    pages: u32,
    /// The limit of a browser or a person.
    pages_of_visitor: u32,
    /// Assigns visitors to buckets.
    buckets: RandomState,
    minute: Mutex<Minute>,
    /// Sessions that were found not long ago: made-up cookies of their network do not lock them out.
    sessions: Cache<TokenHash, ()>,
}

#[derive(Debug)]
struct Minute {
    start: OffsetDateTime,
    pages: HashMap<Counted, u32>,
}

impl PageLimit {
    /// Both limits are per minute: `pages` for one network, `pages_of_visitor` for one browser or person.
    pub fn new(pages: u32, pages_of_visitor: u32) -> Self {
        Self {
            pages,
            pages_of_visitor,
            buckets: RandomState::new(),
            minute: Mutex::new(Minute { start: OffsetDateTime::UNIX_EPOCH, pages: HashMap::new() }),
            sessions: Cache::builder()
                .max_capacity(MAX_SESSIONS)
                .time_to_live(SESSION_IS_KNOWN)
                .build(),
        }
    }

    /// Whether the cookie is that of a session which was found not long ago.
    pub fn knows(&self, session: TokenHash) -> bool {
        self.sessions.contains_key(&session)
    }

    /// Notes whether a cookie is that of a session.
    pub async fn note(&self, session: TokenHash, exists: bool) {
        if exists {
            self.sessions.insert(session, ()).await;
        } else {
            self.sessions.invalidate(&session).await;
        }
    }

    /// Counts a page; beyond the limit, returns the seconds until the minute ends.
    pub fn count(&self, visitor: Visitor, now: OffsetDateTime) -> Result<(), u32> {
        self.add(visitor, 1, now)
    }

    /// Does the same without counting a page.
    pub fn check(&self, visitor: Visitor, now: OffsetDateTime) -> Result<(), u32> {
        self.add(visitor, 0, now)
    }

    fn add(&self, visitor: Visitor, more: u32, now: OffsetDateTime) -> Result<(), u32> {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        // The clock may have been set back.
        if (now - minute.start).abs() >= MINUTE {
            *minute = Minute { start: now, pages: HashMap::new() };
        }
        let mut counted = Counted::Visitor(visitor);
        if minute.pages.len() >= CAPACITY && !minute.pages.contains_key(&counted) {
            counted = Counted::Bucket(self.buckets.hash_one(visitor) % BUCKETS);
        }
        let limit = match counted {
            Counted::Visitor(Visitor::Pictures(_)) => self.pages.saturating_mul(PICTURES_PER_PAGE),
            Counted::Visitor(Visitor::Network(_) | Visitor::Unknown(_) | Visitor::Cookies(_)) => {
                self.pages
            }
            Counted::Visitor(Visitor::Browser { .. } | Visitor::Person(_)) => self.pages_of_visitor,
            Counted::Bucket(_) => self.pages.saturating_mul(OF_BUCKET),
        };
        let pages = minute.pages.get(&counted).copied().unwrap_or_default();
        if pages < limit {
            if more > 0 {
                minute.pages.insert(counted, pages + more);
            }
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
    fn pages_are_limited_per_network_and_minute() {
        let limit = PageLimit::new(2, 20);
        let at = |milliseconds| START + Duration::milliseconds(milliseconds);
        assert_eq!(limit.count(network(1), at(0)), Ok(()));
        assert_eq!(limit.count(network(1), at(1)), Ok(()));
        assert_eq!(limit.count(network(1), at(20_500)), Err(40));
        assert_eq!(limit.count(network(2), at(20_500)), Ok(()));
        assert_eq!(limit.count(network(1), at(59_999)), Err(1));
        assert_eq!(limit.count(network(1), at(60_000)), Ok(()));
        // When the clock is set back, a new window starts.
        assert_eq!(limit.count(network(1), at(-3_600_000)), Ok(()));
    }

    #[test]
    fn a_browser_and_its_network_have_limits_of_their_own() {
        let limit = PageLimit::new(5, 2);
        let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let allowed = |visitor| (0..10).filter(|_| limit.count(visitor, START).is_ok()).count();
        for headers in [1, 2] {
            let network = ip.into();
            assert_eq!(allowed(Visitor::Browser { network, headers }), 2);
        }
        assert_eq!(allowed(Visitor::Network(ip.into())), 5);
        let unknown = Visitor::Unknown(ip.into());
        assert_eq!(limit.check(unknown, START), Ok(()));
        assert_eq!(allowed(unknown), 5);
        assert_eq!(limit.check(unknown, START), Err(60));
        let limit = PageLimit::new(5, 2);
        let pictures = Visitor::Pictures(ip.into());
        let allowed = (0..100).filter(|_| limit.count(pictures, START).is_ok());
        assert_eq!(allowed.count(), 50);
    }

    #[test]
    fn a_person_has_a_higher_limit_and_counters_are_bounded() {
        let limit = PageLimit::new(1, 10);
        let person = Visitor::Person(Uuid::nil());
        let allowed = (0..100).filter(|_| limit.count(person, START).is_ok());
        assert_eq!(allowed.count(), 10);
        for number in 0..200_000 {
            limit.count(network(number), START).ok();
        }
        let counted = limit.minute.lock().unwrap().pages.len();
        assert!(counted <= CAPACITY + 1_024, "{counted}");
    }

    #[test]
    fn at_capacity_newcomers_share_counters() {
        let limit = PageLimit::new(1, 10);
        let newcomers = u32::try_from(CAPACITY).unwrap()..;
        for number in 0..newcomers.start {
            assert_eq!(limit.count(network(number), START), Ok(()));
        }
        let allowed = |count| {
            let mut newcomers = newcomers.clone().take(count);
            newcomers.all(|number| limit.count(network(number), START).is_ok())
        };
        // Newcomers share counters. A counter allows ten pages.
        assert!(allowed(10));
        assert!(!allowed(20_000));
        // Visitors that were counted before keep counters of their own.
        assert_eq!(limit.count(network(0), START), Err(60));
    }
}
