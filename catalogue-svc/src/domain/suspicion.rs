//! Rules by which votes look bought.

use time::Duration;

/// How long a voter counts as new.
pub const NEW: Duration = Duration::DAY;
/// The votes of this period are examined; it is that of the board of the week.
pub const PERIOD: Duration = Duration::days(7);
/// A person judges at most this many pairs in an hour.
pub const VOTES_IN_AN_HOUR: i64 = 50;

/// Whether the wins of a listing look bought: new voters cast more than half of the votes for it.
pub const fn is_favoured(wins_by_new_voters: u64, wins: u32) -> bool {
    wins_by_new_voters.saturating_mul(2) > wins as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_of_the_wins_are_needed() {
        for (new, wins, expected) in [
            (0, 0, false),
            (1, 1, true),
            (1, 2, false),
            (2, 3, true),
            (50, 100, false),
            (51, 100, true),
            // A void since then has left fewer wins than were counted.
            (3, 0, true),
        ] {
            assert_eq!(is_favoured(new, wins), expected, "{new} of {wins}");
        }
    }
}
