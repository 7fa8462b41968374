//! Whether the supply in a report follows from the report before it.

use super::report::Report;

/// Staff see a report whose supply differs by more than this, in percent of the expected supply.
const MAX_DIFFERENCE_PERCENT: u64 = 1;

/// The supply of a report, compared with the supply that follows from the report before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The supply in the report before, plus minted, minus burned. Below 0 when a game burned more than it had.
    pub expected: i64,
    /// Whether the reported supply differs by more than [`MAX_DIFFERENCE_PERCENT`].
    pub differs: bool,
}

/// Compares the supply of a report with the supply `before`, plus what was minted since, minus what was burned. Each is at most 2^53.
pub fn compare(before: u64, report: &Report) -> Comparison {
    let expected = i128::from(before) + i128::from(report.minted) - i128::from(report.burned);
    let difference = (i128::from(report.supply) - expected).unsigned_abs();
    Comparison {
        expected: i64::try_from(expected).unwrap_or(i64::MAX),
        differs: difference * 100 > expected.unsigned_abs() * u128::from(MAX_DIFFERENCE_PERCENT),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::body;
    use super::*;

    fn compare(before: u64, minted: u64, burned: u64, supply: u64) -> Comparison {
        let report = Report {
            supply,
            minted,
            burned,
            ..Report::parse(&body().to_string()).unwrap()
        };
        super::compare(before, &report)
    }

    #[test]
    fn more_than_one_percent_differs() {
        let differs = |reported| compare(1_000, 100, 100, reported).differs;
        assert!(!differs(1_000) && !differs(1_010) && !differs(990));
        assert!(differs(1_011) && differs(989));
        let most = crate::domain::fields::MAX_SAFE_INTEGER;
        assert_eq!(
            compare(most, most, 0, most).expected,
            18_014_398_509_481_982
        );
        assert!(!compare(0, 0, 0, 0).differs);
        let below = compare(0, 0, 5, 0);
        assert_eq!((below.expected, below.differs), (-5, true));
    }
}
