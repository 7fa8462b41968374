//! Who draws a pair: what its random choice follows from, and how long the pair may be judged
//! (§2.5).
//!
//! Voters who count in their network and have judged nothing draw together, by site and bucket: a
//! new cookie or account is no new draw, and only votes bring another pair.

use std::fmt;

use kit::network::Network;
use uuid::Uuid;

use super::voter::Voter;

/// The pairs that the new voters of a site draw from at a time.
const BUCKETS: u128 = 16;
/// The votes of a bucket after which it draws another pair.
const VOTES_OF_TURN: i64 = 10;

/// While it stays the same, so does the pair of a kind and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawer {
    /// A voter, with the number of pairs of the kind that the voter has judged on the day.
    Voter { id: Uuid, judged: usize },
    /// The voters of a bucket who have judged nothing, with the number of pairs that the bucket
    /// drew before on the day.
    Bucket { site: Network, bucket: i16, turn: i64 },
}

/// The bucket of a voter within their site.
pub fn bucket(voter: Uuid) -> i16 {
    // The last bits of ids are random.
    i16::try_from(voter.as_u128() % BUCKETS).unwrap_or_default()
}

impl Drawer {
    /// The bucket of a voter, which has cast so many votes on the day.
    pub fn bucket_of(voter: &Voter, votes: i64) -> Self {
        Self::Bucket {
            site: voter.network.site(),
            bucket: bucket(voter.id),
            turn: votes / VOTES_OF_TURN,
        }
    }

    /// Whether a voter may judge its pairs.
    pub fn includes(&self, voter: &Voter) -> bool {
        match *self {
            Self::Voter { id, .. } => id == voter.id,
            Self::Bucket { site, bucket, .. } => {
                (site, bucket) == (voter.network.site(), self::bucket(voter.id))
            }
        }
    }

    /// Whether its pair may still be judged when its bucket has cast so many votes: voters who were
    /// shown it may vote while the next one is drawn.
    pub fn is_current(&self, votes_of_bucket: i64) -> bool {
        match self {
            Self::Voter { .. } => true,
            Self::Bucket { turn, .. } => votes_of_bucket / VOTES_OF_TURN <= turn + 1,
        }
    }

    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let drawer = match words.next()? {
            "voter" => {
                Self::Voter { id: words.next()?.parse().ok()?, judged: words.next()?.parse().ok()? }
            }
            "bucket" => Self::Bucket {
                site: words.next()?.parse().ok()?,
                bucket: words.next()?.parse().ok()?,
                turn: words.next()?.parse().ok()?,
            },
            _ => return None,
        };
        words.next().is_none().then_some(drawer)
    }
}

impl fmt::Display for Drawer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Voter { id, judged } => write!(f, "voter {id} {judged}"),
            Self::Bucket { site, bucket, turn } => write!(f, "bucket {site} {bucket} {turn}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn voter(id: u128, address: &str) -> Voter {
        Voter::cookie(Uuid::from_u128(id), address.parse().unwrap())
    }

    #[test]
    fn a_pair_of_a_bucket_may_be_judged_until_the_turn_after_it_ends() {
        let voter = voter(1, "192.0.2.1");
        let judged = |drawn_after| {
            let drawer = Drawer::bucket_of(&voter, drawn_after);
            (0..100).filter(|votes| drawer.is_current(*votes)).count()
        };
        assert_eq!((judged(0), judged(9), judged(10)), (20, 20, 30));
        assert_ne!(Drawer::bucket_of(&voter, 9), Drawer::bucket_of(&voter, 10));
        let own = Drawer::Voter { id: voter.id, judged: 1 };
        assert!(own.is_current(i64::MAX));
    }

    #[test]
    fn a_bucket_includes_its_part_of_the_voters_of_a_site() {
        let buckets: BTreeSet<i16> = (0..100).map(|id| bucket(Uuid::from_u128(id))).collect();
        assert!(buckets.into_iter().eq(0..16));
        let drawer = Drawer::bucket_of(&voter(1, "2001:db8:1:2::1"), 0);
        for (id, address, is_included) in [
            (1, "2001:db8:1:2::1", true),
            (17, "2001:db8:1:3::1", true),
            (2, "2001:db8:1:2::1", false),
            (1, "2001:db8:2:2::1", false),
            (1, "192.0.2.1", false),
        ] {
            assert_eq!(drawer.includes(&voter(id, address)), is_included, "{id} {address}");
        }
        let own = Drawer::Voter { id: Uuid::from_u128(1), judged: 1 };
        assert!(own.includes(&voter(1, "192.0.2.1")));
        assert!(!own.includes(&voter(17, "192.0.2.1")));
    }

    #[test]
    fn a_drawer_is_parsed_from_its_text() {
        for drawer in [
            Drawer::Voter { id: Uuid::from_u128(7), judged: 3 },
            Drawer::bucket_of(&voter(5, "192.0.2.1"), 31),
            Drawer::bucket_of(&voter(5, "2001:db8:1:2::1"), 0),
        ] {
            assert_eq!(Drawer::parse(&drawer.to_string()), Some(drawer), "{drawer}");
            assert_eq!(Drawer::parse(&format!("{drawer} ")), None);
        }
        for text in ["", "voter", "voter 1 1", "bucket here 1 1", "site 192.0.2.1 1 1"] {
            assert_eq!(Drawer::parse(text), None, "{text}");
        }
    }
}
