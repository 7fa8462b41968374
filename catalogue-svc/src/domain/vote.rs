//! Votes and voters (§2.5).

use std::net::{IpAddr, Ipv6Addr};

use time::Date;
use uuid::Uuid;

use super::rankings::BoardKind;

/// Two listings, in no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The lower id.
    pub low: Uuid,
    /// The higher id.
    pub high: Uuid,
}

impl Pair {
    /// The pair of these.
    pub fn of(one: Uuid, other: Uuid) -> Self {
        Self {
            low: one.min(other),
            high: one.max(other),
        }
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

/// A vote of a voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// The voter.
    pub voter: Voter,
    /// The kind of both listings.
    pub kind: BoardKind,
    /// The pair that it judges.
    pub pair: Pair,
    /// The listing that won; `None`: the voter picked neither, and the vote counts for nobody.
    pub winner: Option<Uuid>,
    /// The day (UTC) of its draw. A voter has one vote per pair and day, and therefore uses a draw once.
    pub day: Date,
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
        assert_eq!(Pair::of(one, other), Pair::of(other, one));
        assert_ne!(Pair::of(one, other), Pair::of(one, one));
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
