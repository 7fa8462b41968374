//! When an endpoint is switched off, and what its owner is told (§6.2).

use time::{Duration, OffsetDateTime};

/// When an endpoint that fails is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Failed deliveries at least, with no success between.
    pub failures: i32,
    /// From the first to the last of them at least.
    pub span: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            failures: 5,
            span: Duration::days(5),
        }
    }
}

/// Failed deliveries since the last success.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    pub failures: i32,
    pub first_failure_at: Option<OffsetDateTime>,
    pub last_failure_at: Option<OffsetDateTime>,
}

/// What the owner is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The first delivery that ran out of tries.
    FirstFailure,
    /// The endpoint is off: it failed for too long.
    OffForFailures,
    /// The endpoint is off: it answered 410.
    OffForGone,
}

impl Health {
    /// A delivery ran out of tries at `at`.
    pub fn failed(self, at: OffsetDateTime, rules: Rules) -> (Self, Option<Notice>) {
        let first = self.first_failure_at.unwrap_or(at);
        let after = Self {
            failures: self.failures.saturating_add(1),
            first_failure_at: Some(first),
            last_failure_at: Some(at),
        };
        let is_off = after.failures >= rules.failures && at - first >= rules.span;
        let notice = match self.failures {
            _ if is_off => Some(Notice::OffForFailures),
            0 => Some(Notice::FirstFailure),
            _ => None,
        };
        (after, notice)
    }
}

impl Notice {
    /// Why the endpoint is off; `None` when it is not.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::FirstFailure => None,
            Self::OffForFailures => {
                Some("Deliveries kept failing for days. Mend the endpoint, then resume it.")
            }
            Self::OffForGone => Some("The endpoint answered 410 Gone."),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    /// The notices after failures at these days.
    fn notices(days: &[i64]) -> Vec<Option<Notice>> {
        let mut health = Health::default();
        days.iter()
            .map(|day| {
                let (after, notice) = health.failed(START + Duration::days(*day), Rules::default());
                health = after;
                notice
            })
            .collect()
    }

    #[test]
    fn five_failures_over_five_days_switch_off() {
        use Notice::{FirstFailure, OffForFailures};
        let first = Some(FirstFailure);
        assert_eq!(notices(&[0, 1, 2, 3, 5])[4], Some(OffForFailures));
        assert_eq!(notices(&[0, 1, 2, 3, 4]), [first, None, None, None, None]);
        assert_eq!(notices(&[0, 5, 6, 7]), [first, None, None, None]);
        assert_eq!(notices(&[0, 0, 0, 0, 0, 6])[5], Some(OffForFailures));
    }
}
