//! The market of a pair of currencies: its swaps of 24 hours (§2.8).

use time::OffsetDateTime;

use super::ratio::Ratio;

/// Fewer swaps make no market rate.
pub const MIN_SWAPS: u64 = 3;
/// Fewer parties make no market rate.
pub const MIN_PARTIES: u64 = 2;

/// The swaps of a pair of currencies within 24 hours, in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Market {
    pub swaps: u64,
    /// Distinct parties.
    pub parties: u64,
    /// Units of the first currency that were swapped.
    pub first: i128,
    /// Units of the second.
    pub second: i128,
    /// Time of the last swap.
    pub last: OffsetDateTime,
}

impl Market {
    /// Units of the second currency for one of the first, weighted by volume, unless there are too few swaps or parties.
    pub fn rate(&self) -> Option<Ratio> {
        let is_market = self.swaps >= MIN_SWAPS && self.parties >= MIN_PARTIES;
        is_market.then(|| Ratio::new(self.second, self.first)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn three_swaps_by_two_parties_make_a_market() {
        let market = |swaps, parties| Market {
            swaps,
            parties,
            first: 100,
            second: 250,
            last: datetime!(2026-03-01 00:00 UTC),
        };
        let rate = |swaps, parties| market(swaps, parties).rate().map(Ratio::value);
        assert_eq!(rate(2, 2), None);
        assert_eq!(rate(3, 1), None);
        assert_eq!(rate(3, 2), Some(2.5));
    }
}
