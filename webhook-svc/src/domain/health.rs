//! When a failing endpoint is switched off, and when its owner is notified (§6.2).

use time::{Duration, OffsetDateTime};

/// When a failing endpoint is switched off: both conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisablePolicy {
    /// Minimum failed deliveries in a row.
    pub failures: i32,
    /// Minimum time from the first failure to the last.
    pub span: Duration,
}

impl Default for DisablePolicy {
    fn default() -> Self {
        Self {
            failures: 5,
            span: Duration::days(5),
        }
    }
}

/// The failed deliveries of an endpoint since its last success.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    pub failures: i32,
    pub first_failure_at: Option<OffsetDateTime>,
    pub last_failure_at: Option<OffsetDateTime>,
}

/// A reason for a mail to the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// All attempts of a delivery failed, for the first time since the last success.
    FirstFailure,
    /// The endpoint was switched off because it failed for too long.
    DisabledAfterFailures,
    /// The endpoint was switched off because it answered 410.
    DisabledByGone,
}

impl Health {
    /// All attempts of a delivery have failed, the last at `at`.
    pub fn failed(self, at: OffsetDateTime, policy: DisablePolicy) -> (Self, Option<Notification>) {
        let first = self.first_failure_at.unwrap_or(at);
        let after = Self {
            failures: self.failures.saturating_add(1),
            first_failure_at: Some(first),
            last_failure_at: Some(at),
        };
        let is_off = after.failures >= policy.failures && at - first >= policy.span;
        let notification = match self.failures {
            _ if is_off => Some(Notification::DisabledAfterFailures),
            0 => Some(Notification::FirstFailure),
            _ => None,
        };
        (after, notification)
    }
}

impl Notification {
    /// Why the endpoint was switched off; `None`: it was not.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::FirstFailure => None,
            Self::DisabledAfterFailures => {
                Some("Deliveries failed for days. Repair the endpoint, then resume it.")
            }
            Self::DisabledByGone => Some("The endpoint answered 410 Gone."),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    /// The notifications after failures at these days.
    fn notifications(days: &[i64]) -> Vec<Option<Notification>> {
        let mut health = Health::default();
        days.iter()
            .map(|day| {
                let (after, notification) =
                    health.failed(START + Duration::days(*day), DisablePolicy::default());
                health = after;
                notification
            })
            .collect()
    }

    #[test]
    fn five_failures_over_five_days_switch_off() {
        use Notification::{DisabledAfterFailures, FirstFailure};
        let first = Some(FirstFailure);
        assert_eq!(
            notifications(&[0, 1, 2, 3, 5])[4],
            Some(DisabledAfterFailures)
        );
        assert_eq!(
            notifications(&[0, 1, 2, 3, 4]),
            [first, None, None, None, None]
        );
        assert_eq!(notifications(&[0, 5, 6, 7]), [first, None, None, None]);
        assert_eq!(
            notifications(&[0, 0, 0, 0, 0, 6])[5],
            Some(DisabledAfterFailures)
        );
    }
}
