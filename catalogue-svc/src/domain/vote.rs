//! Votes (§2.5).

use time::{Date, OffsetDateTime, UtcOffset};
use uuid::Uuid;

use super::drawer::Drawer;
use super::rankings::BoardKind;
use super::voter::Voter;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    pub voter: Voter,
    pub kind: BoardKind,
    pub pair: Pair,
    /// The listing that won. A vote without a winner picked neither, and counts for nobody.
    pub winner: Option<Uuid>,
    /// The day (UTC) of its draw. A voter has one vote per pair and day, and therefore uses a draw once.
    pub day: Date,
    /// Who drew the pair.
    pub drawer: Drawer,
}

/// The day (UTC) of a moment.
pub fn day(at: OffsetDateTime) -> Date {
    at.to_offset(UtcOffset::UTC).date()
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
}
