//! Votes and voters (§2.5).

use std::net::{IpAddr, Ipv6Addr};

use time::Date;
use uuid::Uuid;

use super::rankings::{BoardKind, Hour};

/// Two listings, whichever of them is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The one with the lower id.
    pub low: Uuid,
    /// The other one.
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

/// Somebody who votes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// Of the account or of the cookie.
    pub id: Uuid,
    /// Where a cookie is; `None` for an account.
    pub network: Option<String>,
    /// All accounts of the person who votes: the person does not judge their listings.
    pub accounts: Vec<Uuid>,
}

/// A vote of a voter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Whose it is.
    pub voter: Voter,
    /// What the two are.
    pub kind: BoardKind,
    /// The better one.
    pub winner: Uuid,
    /// The other one.
    pub loser: Uuid,
    /// The day (UTC) of its draw. One vote of a voter on a pair counts per day, and therefore a draw is used once.
    pub day: Date,
}

impl Vote {
    /// What it judges.
    pub fn pair(&self) -> Pair {
        Pair::of(self.winner, self.loser)
    }
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

/// A block of addresses as staff write it, such as `192.0.2.0/24`, in PostgreSQL's form.
///
/// # Errors
/// What to write instead.
pub fn block(text: &str) -> Result<String, String> {
    let block = text.split_once('/').and_then(|(address, bits)| {
        let address = address.parse::<IpAddr>().ok()?;
        let bits = bits.parse::<u8>().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        (bits <= most).then(|| format!("{address}/{bits}"))
    });
    block.ok_or_else(|| {
        "Use a block of addresses, such as 192.0.2.0/24 or 2001:db8::/32.".to_owned()
    })
}

/// The day of a vote: of UTC.
pub fn day(at: time::OffsetDateTime) -> Date {
    at.to_offset(time::UtcOffset::UTC).date()
}

/// Votes of an hour for and against a listing. Negative numbers void votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TallyChange {
    /// The kind of the listing.
    pub kind: BoardKind,
    /// The id of the listing.
    pub listing: Uuid,
    /// The hour in which the votes were cast.
    pub hour: Hour,
    /// Votes for the listing.
    pub wins: i64,
    /// Votes for the other listing of the pair.
    pub losses: i64,
}

impl TallyChange {
    /// The changes that a vote makes.
    pub fn of_vote(kind: BoardKind, winner: Uuid, loser: Uuid, hour: Hour) -> [Self; 2] {
        [(winner, 1, 0), (loser, 0, 1)].map(|(listing, wins, losses)| Self {
            kind,
            listing,
            hour,
            wins,
            losses,
        })
    }
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
    fn a_block_is_an_address_and_a_number_of_bits() {
        assert_eq!(block("192.0.2.7/24"), Ok("192.0.2.7/24".to_owned()));
        assert_eq!(block("2001:DB8::/32"), Ok("2001:db8::/32".to_owned()));
        for bad in [
            "192.0.2.7",
            "192.0.2.0/33",
            "::/129",
            "/8",
            "192.0.2.0/",
            "a/8",
        ] {
            assert!(block(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_ipv6_address_stands_for_its_network() {
        let network = |address: &str| network(address.parse().unwrap());
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(network("2001:db8:1:2::9"), network("2001:db8:1:2:ffff::1"));
    }
}
