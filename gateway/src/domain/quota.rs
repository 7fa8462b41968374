//! Minute and month: how calls are counted and what is left (§8).
//!
//! The rules stand twice, here and in `quota/quota.lua`, which decides for all gateways at once; a test holds one against the other.

use std::fmt::{self, Write as _};

use time::{Date, Duration, OffsetDateTime, UtcOffset};
use uuid::Uuid;

/// Length of a key's minute.
pub const MINUTE: Duration = Duration::MINUTE;

/// What a call is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls in a minute; absent: no limit.
    pub minute: Option<u32>,
    /// Calls in a month; absent: no limit.
    pub month: Option<u64>,
    /// Whether the call uses the month: live keys only.
    pub uses_month: bool,
}

/// A UTC calendar month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    /// Its first day.
    first: Date,
}

/// What a month's use is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountMonth {
    /// Whose calls.
    pub account: Uuid,
    /// When they came.
    pub month: Month,
}

/// A key's minute: 60 seconds that begin with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When its first call came.
    pub start: OffsetDateTime,
    /// Calls in it.
    pub used: u32,
}

/// Where a caller stands after its call was counted, or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What it was held to.
    pub limits: Limits,
    /// Its minute.
    pub window: Window,
    /// Calls of the account's month; absent while the counter cannot be read.
    pub month_used: Option<u64>,
    /// When it was counted.
    pub now: OffsetDateTime,
}

impl Month {
    /// The month that `now` lies in.
    pub fn of(now: OffsetDateTime) -> Self {
        Self::starting(now.to_offset(UtcOffset::UTC).date())
    }

    /// The month with this day.
    pub fn starting(day: Date) -> Self {
        let first = day.replace_day(1).unwrap_or(day);
        Self { first }
    }

    /// Its first day.
    pub fn first_day(self) -> Date {
        self.first
    }

    /// The first moment of the next one.
    fn end(self) -> OffsetDateTime {
        let day = self.first;
        let year = day.year() + i32::from(day.month() == time::Month::December);
        Date::from_calendar_date(year, day.month().next(), 1)
            .unwrap_or(day)
            .midnight()
            .assume_utc()
    }
}

/// For example `2026-03`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month) = (self.first.year(), u8::from(self.first.month()));
        write!(f, "{year:04}-{month:02}")
    }
}

impl Window {
    /// The window that a call at `now` falls into, before the call is counted.
    ///
    /// Gateways' clocks differ a little: a window that begins in the near future is still the current one.
    pub fn current(known: Option<Self>, now: OffsetDateTime) -> Self {
        known
            .filter(|window| (now - window.start).abs() < MINUTE)
            .unwrap_or(Self {
                start: now,
                used: 0,
            })
    }

    /// Counts a call, unless the window is used up.
    pub fn take(&mut self, limit: Option<u32>) -> bool {
        let free = limit.is_none_or(|limit| self.used < limit);
        if free {
            self.used = self.used.saturating_add(1);
        }
        free
    }
}

impl Standing {
    /// When the minute starts anew.
    pub fn minute_resets_at(&self) -> OffsetDateTime {
        self.window.start + MINUTE
    }

    /// Whole seconds until the minute starts anew. It may have begun by a clock that is ahead of this one; no wait is longer than it.
    pub fn minute_wait(&self) -> u32 {
        self.seconds_until(self.minute_resets_at().min(self.now + MINUTE))
    }

    /// When the month starts anew.
    pub fn month_resets_at(&self) -> OffsetDateTime {
        Month::of(self.now).end()
    }

    /// Calls left in the minute; absent without a limit.
    pub fn minute_left(&self) -> Option<u32> {
        self.limits
            .minute
            .map(|limit| limit.saturating_sub(self.window.used))
    }

    /// Calls left in the month; absent without a limit, or while the counter cannot be read.
    pub fn month_left(&self) -> Option<u64> {
        Some(self.limits.month?.saturating_sub(self.month_used?))
    }

    /// The standing without this call.
    #[must_use]
    pub fn given_back(mut self) -> Self {
        self.window.used = self.window.used.saturating_sub(1);
        if self.limits.uses_month {
            self.month_used = self.month_used.map(|used| used.saturating_sub(1));
        }
        self
    }

    /// Whole seconds until `at`, rounded up; never 0, so that whoever waits for them comes late enough.
    pub fn seconds_until(&self, at: OffsetDateTime) -> u32 {
        let left = at - self.now;
        let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
        u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
    }

    /// The header `RateLimit-Policy`; absent when nothing limits the caller.
    pub fn policy(&self) -> Option<String> {
        let mut header = Items::default();
        if let Some(limit) = self.limits.minute {
            header.add(format_args!(
                "\"minute\";q={limit};w={}",
                MINUTE.whole_seconds()
            ));
        }
        if let Some((limit, _)) = self.month_counted() {
            // A month has no one length, so its window is not given.
            header.add(format_args!("\"month\";q={limit}"));
        }
        header.written()
    }

    /// The header `RateLimit`; absent when nothing limits the caller.
    pub fn remaining(&self) -> Option<String> {
        let mut header = Items::default();
        if let Some(left) = self.minute_left() {
            header.add(format_args!("\"minute\";r={left};t={}", self.minute_wait()));
        }
        if let Some((_, left)) = self.month_counted() {
            let wait = self.seconds_until(self.month_resets_at());
            header.add(format_args!("\"month\";r={left};t={wait}"));
        }
        header.written()
    }

    /// Limit and rest of the month, when this call is held to it and the counter could be read.
    fn month_counted(&self) -> Option<(u64, u64)> {
        let limit = self.limits.month.filter(|_| self.limits.uses_month)?;
        Some((limit, self.month_left()?))
    }
}

/// A list as a header has it (RFC 9651, 3.1).
#[derive(Default)]
struct Items(String);

impl Items {
    fn add(&mut self, item: fmt::Arguments<'_>) {
        if self.0.is_empty() {
            self.0.reserve(64);
        } else {
            self.0.push_str(", ");
        }
        // Writing to a text cannot fail.
        let (Ok(()) | Err(_)) = self.0.write_fmt(item);
    }

    fn written(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-22 00:00 UTC);

    fn standing(minute: Option<u32>, month: Option<u64>, uses_month: bool) -> Standing {
        Standing {
            limits: Limits {
                minute,
                month,
                uses_month,
            },
            window: Window {
                start: NOW - Duration::milliseconds(29_500),
                used: 48,
            },
            month_used: Some(1_000),
            now: NOW,
        }
    }

    #[test]
    fn the_headers_have_the_form_of_the_draft() {
        let live = standing(Some(60), Some(50_000), true);
        assert_eq!(
            live.policy().unwrap(),
            "\"minute\";q=60;w=60, \"month\";q=50000"
        );
        assert_eq!(
            live.remaining().unwrap(),
            "\"minute\";r=12;t=31, \"month\";r=49000;t=864000"
        );
    }

    #[test]
    fn what_does_not_limit_is_not_in_the_headers() {
        let test = standing(Some(60), Some(50_000), false);
        assert_eq!(test.policy().unwrap(), "\"minute\";q=60;w=60");
        let unknown = Standing {
            month_used: None,
            ..standing(Some(60), Some(50_000), true)
        };
        assert_eq!(unknown.remaining().unwrap(), "\"minute\";r=12;t=31");
        let free = standing(None, None, true);
        assert_eq!((free.policy(), free.remaining()), (None, None));
    }

    #[test]
    fn a_plan_made_smaller_leaves_nothing_rather_than_less() {
        let over = standing(Some(10), Some(10), true);
        assert_eq!((over.minute_left(), over.month_left()), (Some(0), Some(0)));
    }

    #[test]
    fn months_end_in_utc() {
        let february = Month::of(datetime!(2026-03-01 01:00 +02:00));
        assert_eq!(february.to_string(), "2026-02");
        assert_eq!(
            february,
            Month::starting(time::macros::date!(2026 - 02 - 28))
        );
        assert_eq!(
            Month::of(datetime!(2026-12-31 23:59:59 UTC)).end(),
            datetime!(2027-01-01 00:00 UTC)
        );
        assert_eq!(
            Month::of(datetime!(2028-02-01 00:00 UTC)).end(),
            datetime!(2028-03-01 00:00 UTC)
        );
    }

    #[test]
    fn waits_are_whole_seconds_rounded_up() {
        let standing = standing(None, None, true);
        for (left, seconds) in [(1, 1), (1_000, 1), (1_001, 2), (0, 1), (-5, 1)] {
            let at = NOW + Duration::milliseconds(left);
            assert_eq!(standing.seconds_until(at), seconds, "{left} ms");
        }
    }

    #[test]
    fn nobody_waits_longer_than_a_minute() {
        let mut ahead = standing(Some(60), None, true);
        for (began, seconds) in [(-59_999, 1), (0, 60), (5, 60)] {
            ahead.window.start = NOW + Duration::milliseconds(began);
            assert_eq!(ahead.minute_wait(), seconds, "began {began} ms after");
        }
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_calls_than_the_limit(
            limit in 1..5_u32,
            gaps in proptest::collection::vec(0..50_000_i64, 1..60),
        ) {
            let (mut now, mut known, mut taken) = (NOW, None, Vec::new());
            for gap in gaps {
                now += Duration::milliseconds(gap);
                let mut window = Window::current(known, now);
                let free = window.take(Some(limit));
                prop_assert_eq!(free, window.used <= limit && known != Some(window));
                known = Some(window);
                if free {
                    taken.push((window.start, now));
                }
            }
            for (start, at) in &taken {
                prop_assert!(*at - *start < MINUTE);
                let same = taken.iter().filter(|(other, _)| other == start).count();
                prop_assert!(same <= limit as usize);
            }
        }
    }
}
