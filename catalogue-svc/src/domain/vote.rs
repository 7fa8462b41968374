//! Votes and voters (§2.5).

use std::net::{IpAddr, Ipv6Addr};

use time::Date;
use uuid::Uuid;

use super::rankings::BoardKind;

/// The pairs that the cookies of a network which have judged nothing draw from at a time.
const BUCKETS: u128 = 16;
/// The votes of a bucket after which it draws another pair.
const VOTES_OF_TURN: i64 = 10;

/// Two listings, in no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    pub low: Uuid,
    pub high: Uuid,
}

impl Pair {
    pub fn new(one: Uuid, other: Uuid) -> Self {
        Self { low: one.min(other), high: one.max(other) }
    }
}

/// A voter: an account or a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// The id of the account or of the cookie.
    pub id: Uuid,
    /// The [`network`] of a cookie; `None` for an account.
    pub network: Option<String>,
    /// The [`site`] of a cookie, if its address is of IPv6.
    pub site: Option<String>,
    /// All accounts of the person who votes, who may not judge their listings.
    pub accounts: Vec<Uuid>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    pub voter: Voter,
    pub kind: BoardKind,
    pub pair: Pair,
    /// The listing that won. A vote without a winner picked neither, and counts for nobody.
    pub winner: Option<Uuid>,
    /// The day (UTC) of its draw. A voter has one vote per pair and day, and therefore uses a draw once.
    pub day: Date,
    /// The [`turn`] of the draw, if the pair was that of a bucket.
    pub turn: Option<i64>,
}

impl Voter {
    /// The network whose [buckets](bucket) a cookie draws from; `None` for an account.
    pub fn drawing_network(&self) -> Option<&str> {
        self.site.as_deref().or(self.network.as_deref())
    }
}

/// The bucket of a cookie within its network. All cookies of a bucket that have judged nothing draw the same pair, so that a new cookie is not a
/// new draw.
pub fn bucket(cookie: Uuid) -> i16 {
    // Ids of cookies are random.
    i16::try_from(cookie.as_u128() % BUCKETS).unwrap_or_default()
}

/// The number of the pair that a bucket with so many votes of the day draws.
pub fn turn(votes: i64) -> i64 {
    votes / VOTES_OF_TURN
}

/// Whether a pair of a bucket may still be judged after so many votes of the bucket: voters who were shown it may vote while the next one is
/// drawn.
pub fn is_current(turn: i64, votes: i64) -> bool {
    self::turn(votes) <= turn + 1
}

/// The key of the limit for an address: an IPv4 address itself, or the /64 network of an IPv6 address, since one holder has all of it.
pub fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// The key of the wider limit for an IPv6 address: its /48, since providers give a customer many /64 networks of one.
pub fn site(address: IpAddr) -> Option<String> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Some(format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)))
        }
    }
}

/// The day (UTC) of a moment.
pub fn day(at: time::OffsetDateTime) -> Date {
    at.to_offset(time::UtcOffset::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_the_same_in_both_orders() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(Pair::new(one, other), Pair::new(other, one));
        assert_ne!(Pair::new(one, other), Pair::new(one, one));
    }

    #[test]
    fn a_pair_of_a_bucket_may_be_judged_until_the_turn_after_it_ends() {
        let voted = |turn| (0..100).filter(|votes| is_current(turn, *votes)).count();
        assert_eq!((turn(9), turn(10)), (0, 1));
        assert_eq!((voted(0), voted(1)), (20, 30));
        let buckets: std::collections::BTreeSet<i16> =
            (0..100).map(|id| bucket(Uuid::from_u128(id))).collect();
        assert!(buckets.into_iter().eq(0..16));
    }

    #[test]
    fn an_ipv6_address_stands_for_its_network() {
        let network = |address: &str| network(address.parse().unwrap());
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(network("2001:db8:1:2::9"), network("2001:db8:1:2:ffff::1"));
        let site = |address: &str| site(address.parse().unwrap());
        assert_eq!(site("192.0.2.7"), None);
        assert_eq!(site("::ffff:192.0.2.7"), None);
        assert_eq!(site("2001:db8:1:2::9").as_deref(), Some("2001:db8:1::/48"));
    }
}
