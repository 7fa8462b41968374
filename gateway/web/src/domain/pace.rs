//! What a month will have used at its end, if it goes on as it has so far.

use time::{Duration, OffsetDateTime};

/// After this part of a month, its pace says something.
const LEAST: Duration = Duration::DAY;

/// The calls of a month so far, and its limit.
#[derive(Debug, Clone, Copy)]
pub struct Month {
    pub starts_at: OffsetDateTime,
    pub resets_at: OffsetDateTime,
    pub used: u64,
    pub limit: Option<u64>,
}

/// The rest of the month at the pace so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projection {
    /// The calls of the whole month, with two significant digits.
    pub calls: u64,
    /// When the limit is reached, if that is before the month ends.
    pub limit_at: Option<OffsetDateTime>,
}

impl Month {
    /// `None` on the first day, without a call, and when the limit is reached already.
    pub fn pace(&self, now: OffsetDateTime) -> Option<Projection> {
        let elapsed = now - self.starts_at;
        let whole = self.resets_at - self.starts_at;
        let is_over = self.limit.is_some_and(|limit| self.used >= limit);
        if self.used == 0 || is_over || elapsed < LEAST || elapsed > whole {
            return None;
        }
        let elapsed = u128::try_from(elapsed.whole_seconds()).ok()?;
        let whole = u128::try_from(whole.whole_seconds()).ok()?;
        let calls = u128::from(self.used) * whole / elapsed;
        let limit_at = self.limit.and_then(|limit| {
            let seconds = u128::from(limit) * elapsed / u128::from(self.used);
            let seconds = i64::try_from(seconds).ok()?;
            let at = self.starts_at.checked_add(Duration::seconds(seconds))?;
            (at < self.resets_at).then_some(at)
        });
        Some(Projection {
            calls: two_digits(u64::try_from(calls).unwrap_or(u64::MAX)),
            limit_at,
        })
    }
}

/// Rounds to two significant digits: more would say that the future is known.
fn two_digits(number: u64) -> u64 {
    let digits = number.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(1));
    (number / unit + u64::from(number % unit * 2 >= unit && unit > 1)).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn month(used: u64, limit: Option<u64>) -> Month {
        Month {
            starts_at: datetime!(2026-11-01 00:00 UTC),
            resets_at: datetime!(2026-12-01 00:00 UTC),
            used,
            limit,
        }
    }

    #[test]
    fn a_month_goes_on_as_it_began() {
        let now = datetime!(2026-11-11 00:00 UTC);
        let pace = month(1_204, Some(50_000)).pace(now).unwrap();
        assert_eq!((pace.calls, pace.limit_at), (3_600, None));
        let pace = month(30_000, Some(50_000)).pace(now).unwrap();
        assert_eq!(pace.calls, 90_000);
        let at = pace.limit_at.unwrap();
        assert_eq!(at.date(), time::macros::date!(2026 - 11 - 17));
        let unlimited = month(7, None).pace(now).unwrap();
        assert_eq!((unlimited.calls, unlimited.limit_at), (21, None));
    }

    #[test]
    fn some_months_have_no_pace() {
        let now = datetime!(2026-11-11 00:00 UTC);
        assert_eq!(month(0, Some(50_000)).pace(now), None);
        assert_eq!(month(50_000, Some(50_000)).pace(now), None);
        assert_eq!(month(9, None).pace(datetime!(2026-11-01 23:59 UTC)), None);
        assert_eq!(month(9, None).pace(datetime!(2026-12-01 00:01 UTC)), None);
        // Nothing overflows.
        month(u64::MAX, None).pace(now).unwrap();
    }

    #[test]
    fn a_forecast_has_two_digits() {
        for (number, rounded) in [
            (0, 0),
            (7, 7),
            (42, 42),
            (1_204, 1_200),
            (1_250, 1_300),
            (99_600, 100_000),
        ] {
            assert_eq!(two_digits(number), rounded);
        }
    }
}
