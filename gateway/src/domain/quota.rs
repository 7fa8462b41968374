//! Rate limits per minute and month: how calls are counted and what is left (§8).
//!
//! `quota/consume.lua` implements the same rules in Redis; a test compares the two.

use std::fmt::{self, Write as _};

use time::{Duration, OffsetDateTime};

use super::key::{Caller, KeyKind, Mode};
use super::month::Month;
use super::plan::Plan;

/// The length of a key's minute.
pub const MINUTE: Duration = Duration::MINUTE;

/// The limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Calls per minute; `None` for no limit.
    pub minute: Option<u32>,
    /// Calls per month; `None` for no limit.
    pub month: Option<u64>,
    /// Whether the call counts in the month: live keys only.
    pub uses_month: bool,
    /// Whether the key is public. Anyone may know it, so responses to it show only the share and the use of the public keys.
    pub is_public: bool,
    /// Calls per month of all public keys of the account together; `None` for no limit, and for a key that is not public.
    pub public_month: Option<u64>,
}

impl RateLimits {
    /// The limits of a caller's call. The public keys of an account may use `public_share` percent of its month.
    pub fn new(caller: &Caller, plan: &Plan, public_share: u8) -> Self {
        let uses_month = caller.key.mode == Mode::Live;
        let is_public = caller.key.kind == KeyKind::Public;
        let month = plan.calls_per_month;
        Self {
            minute: plan.calls_per_minute,
            month,
            uses_month,
            is_public,
            public_month: month
                .filter(|_| is_public)
                .map(|month| u128::from(month) * u128::from(public_share) / 100)
                .map(|share| u64::try_from(share).unwrap_or(u64::MAX)),
        }
    }
}

/// The minute of a key and its successors. It begins with a call and lasts for 60 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When the first call was counted.
    pub start: OffsetDateTime,
    /// Calls in the minute.
    pub used: u32,
}

/// The rate limit status of a caller after a call was counted or rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitStatus {
    pub limits: RateLimits,
    /// The key's minute.
    pub window: Window,
    /// Calls of the account in the month; `None` while the count cannot be read.
    pub month_used: Option<u64>,
    /// Those of them with public keys.
    pub public_used: u64,
    /// When the call was counted, by the clock that counts: Redis's, or while that is unavailable,
    /// this process's.
    pub now: OffsetDateTime,
}

impl Window {
    /// The window of a call at `now`, before the call is counted.
    pub fn current(previous: Option<Self>, now: OffsetDateTime) -> Self {
        let current = previous.filter(|window| now - window.start < MINUTE);
        current.unwrap_or(Self { start: now, used: 0 })
    }

    /// Counts a call. Returns false if the window is exceeded.
    pub fn consume(&mut self, limit: Option<u32>) -> bool {
        let free = limit.is_none_or(|limit| self.used < limit);
        if free {
            self.used = self.used.saturating_add(1);
        }
        free
    }
}

impl RateLimitStatus {
    pub fn minute_resets_at(&self) -> OffsetDateTime {
        self.window.start + MINUTE
    }

    /// Whole seconds until the minute ends.
    pub fn minute_wait(&self) -> u32 {
        self.seconds_until(self.minute_resets_at())
    }

    /// The month in which the call was counted or rejected.
    pub fn month(&self) -> Month {
        Month::at(self.now)
    }

    pub fn month_resets_at(&self) -> OffsetDateTime {
        self.month().end()
    }

    /// Calls left in the minute; `None` without a limit.
    pub fn minute_left(&self) -> Option<u32> {
        self.limits.minute.map(|limit| limit.saturating_sub(self.window.used))
    }

    /// Calls that the caller may make in the month; `None` for no limit. For a public key, those of all public keys.
    pub fn month_limit(&self) -> Option<u64> {
        if self.limits.is_public { self.limits.public_month } else { self.limits.month }
    }

    /// Calls in the month; `None` while the count cannot be read. For a public key, those of all public keys.
    pub fn month_count(&self) -> Option<u64> {
        let all = self.month_used?;
        Some(if self.limits.is_public { self.public_used } else { all })
    }

    /// Calls left in the month; `None` without a limit, or while the count cannot be read.
    pub fn month_left(&self) -> Option<u64> {
        let of_account = self.limits.month?.saturating_sub(self.month_used?);
        let of_public =
            self.limits.public_month.map(|limit| limit.saturating_sub(self.public_used));
        Some(of_public.map_or(of_account, |left| left.min(of_account)))
    }

    /// Whole seconds until `at`, rounded up and at least 1, so that a client that waits for them does not come too early.
    pub fn seconds_until(&self, at: OffsetDateTime) -> u32 {
        let left = at - self.now;
        let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
        u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
    }

    /// The header `RateLimit-Policy`; `None` if there is no limit.
    pub fn policy(&self) -> Option<String> {
        let mut header = HeaderList::default();
        if let Some(limit) = self.limits.minute {
            header.add(format_args!("\"minute\";q={limit};w={}", MINUTE.whole_seconds()));
        }
        if let Some((limit, _)) = self.month_counted() {
            // Months differ in length, so the window has no `w`.
            header.add(format_args!("\"month\";q={limit}"));
        }
        header.into_header()
    }

    /// The header `RateLimit`; `None` if there is no limit.
    pub fn remaining(&self) -> Option<String> {
        let mut header = HeaderList::default();
        if let Some(left) = self.minute_left() {
            header.add(format_args!("\"minute\";r={left};t={}", self.minute_wait()));
        }
        if let Some((_, left)) = self.month_counted() {
            let wait = self.seconds_until(self.month_resets_at());
            header.add(format_args!("\"month\";r={left};t={wait}"));
        }
        header.into_header()
    }

    /// The month's limit and what is left of it, if this call counts in the month and the count could be read.
    fn month_counted(&self) -> Option<(u64, u64)> {
        let limit = self.month_limit().filter(|_| self.limits.uses_month)?;
        Some((limit, self.month_left()?))
    }
}

/// A list in a structured header (RFC 9651, 3.1).
#[derive(Default)]
struct HeaderList(String);

impl HeaderList {
    fn add(&mut self, item: fmt::Arguments<'_>) {
        if self.0.is_empty() {
            self.0.reserve(64);
        } else {
            self.0.push_str(", ");
        }
        // Writing to a string cannot fail.
        let (Ok(()) | Err(_)) = self.0.write_fmt(item);
    }

    fn into_header(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::super::{key, plan_table};
    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-22 00:00 UTC);

    fn status(minute: Option<u32>, month: Option<u64>, uses_month: bool) -> RateLimitStatus {
        RateLimitStatus {
            limits: RateLimits { minute, month, uses_month, is_public: false, public_month: None },
            window: Window { start: NOW - Duration::milliseconds(29_500), used: 48 },
            month_used: Some(1_000),
            public_used: 400,
            now: NOW,
        }
    }

    #[test]
    fn the_headers_follow_the_ietf_draft() {
        let live = status(Some(60), Some(50_000), true);
        assert_eq!(live.policy().unwrap(), "\"minute\";q=60;w=60, \"month\";q=50000");
        assert_eq!(live.remaining().unwrap(), "\"minute\";r=12;t=31, \"month\";r=49000;t=864000");
    }

    #[test]
    fn a_public_key_is_shown_the_share_of_public_keys() {
        let shown = |month, month_used| {
            let all = status(Some(60), month, true);
            let public = RateLimitStatus {
                limits: RateLimits {
                    is_public: true,
                    public_month: month.map(|month| month / 2),
                    ..all.limits
                },
                month_used,
                ..all
            };
            let left = (public.month_count(), public.month_left());
            (public.policy().unwrap(), left)
        };
        let (policy, left) = shown(Some(50_000), Some(1_000));
        assert_eq!(policy, "\"minute\";q=60;w=60, \"month\";q=25000");
        assert_eq!(left, (Some(400), Some(24_600)));
        // Other keys have used most of the month.
        let (_, left) = shown(Some(50_000), Some(49_990));
        assert_eq!(left, (Some(400), Some(10)));
        let (policy, left) = shown(None, Some(1_000));
        assert_eq!(policy, "\"minute\";q=60;w=60");
        assert_eq!(left, (Some(400), None));
        assert_eq!(shown(Some(50_000), None).1, (None, None));
    }

    #[test]
    fn the_headers_omit_absent_limits() {
        let test = status(Some(60), Some(50_000), false);
        assert_eq!(test.policy().unwrap(), "\"minute\";q=60;w=60");
        let unknown = RateLimitStatus { month_used: None, ..status(Some(60), Some(50_000), true) };
        assert_eq!(unknown.remaining().unwrap(), "\"minute\";r=12;t=31");
        let free = status(None, None, true);
        assert_eq!((free.policy(), free.remaining()), (None, None));
    }

    #[test]
    fn after_a_downgrade_the_remaining_calls_are_not_negative() {
        let over = status(Some(10), Some(10), true);
        assert_eq!((over.minute_left(), over.month_left()), (Some(0), Some(0)));
    }

    #[test]
    fn waits_are_whole_seconds_rounded_up() {
        let status = status(None, None, true);
        for (left, seconds) in [(1, 1), (1_000, 1), (1_001, 2), (0, 1), (-5, 1)] {
            let at = NOW + Duration::milliseconds(left);
            assert_eq!(status.seconds_until(at), seconds, "{left} ms");
        }
    }

    #[test]
    fn public_keys_have_a_share_of_the_month() {
        let plans = plan_table::parse(plan_table::BUILT_IN).unwrap();
        let limit = |kind, mode, month, share| {
            let mut caller = key::tests::caller();
            (caller.key.kind, caller.key.mode) = (kind, mode);
            let plan = Plan { calls_per_month: month, ..plans.get_or_cheapest("free").clone() };
            RateLimits::new(&caller, &plan, share).public_month
        };
        let (public, live) = (KeyKind::Public, Mode::Live);
        assert_eq!(limit(public, live, Some(50_000), 50), Some(25_000));
        assert_eq!(limit(public, live, Some(3), 50), Some(1));
        assert_eq!(limit(public, live, Some(u64::MAX), 100), Some(u64::MAX));
        assert_eq!(limit(public, live, Some(50_000), 0), Some(0));
        assert_eq!(limit(public, live, None, 50), None);
        // A test key is shown the share but does not use it.
        assert_eq!(limit(public, Mode::Test, Some(50_000), 50), Some(25_000));
        for kind in [KeyKind::Account, KeyKind::Secret] {
            assert_eq!(limit(kind, live, Some(50_000), 50), None);
        }
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_calls_than_the_limit(
            limit in 1..5_u32,
            gaps in proptest::collection::vec(0..50_000_i64, 1..60),
        ) {
            let (mut now, mut previous, mut taken) = (NOW, None, Vec::new());
            for gap in gaps {
                now += Duration::milliseconds(gap);
                let mut window = Window::current(previous, now);
                let free = window.consume(Some(limit));
                prop_assert_eq!(free, window.used <= limit && previous != Some(window));
                previous = Some(window);
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
