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
        Self { failures: 5, span: Duration::days(5) }
    }
}

/// An owner gets a mail about failed deliveries of an endpoint at most once in this time.
const MAIL_INTERVAL: Duration = Duration::DAY;

/// What the attempt of a delivery says about its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// All attempts of the delivery have failed, the last one at this time.
    Failed(OffsetDateTime),
    /// The endpoint answered 410.
    Gone,
}

/// The successes and failures of an endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// Since the last success.
    pub failures: i32,
    pub first_failure_at: Option<OffsetDateTime>,
    pub last_failure_at: Option<OffsetDateTime>,
    pub last_success_at: Option<OffsetDateTime>,
    /// The last mail to the owner about failed deliveries.
    pub mailed_at: Option<OffsetDateTime>,
    /// Since this mail.
    pub failures_since_mail: i32,
}

/// A reason for a mail to the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// All attempts of so many deliveries have failed since the last mail.
    DeliveriesFailed(i32),
    /// The endpoint was switched off because it failed for too long.
    DisabledAfterFailures,
    /// The endpoint was switched off because it answered 410.
    DisabledByGone,
}

impl Health {
    /// Counts outcomes in their order.
    pub fn apply(&mut self, outcomes: &[Outcome], now: OffsetDateTime) {
        for outcome in outcomes {
            match *outcome {
                Outcome::Delivered => {
                    (self.failures, self.first_failure_at) = (0, None);
                    self.last_success_at = Some(now);
                }
                Outcome::Failed(at) => {
                    self.failures = self.failures.saturating_add(1);
                    self.failures_since_mail = self.failures_since_mail.saturating_add(1);
                    self.first_failure_at.get_or_insert(at);
                    self.last_failure_at = Some(at);
                }
                Outcome::Gone => {}
            }
        }
    }

    /// What the owner is told after these outcomes, which were applied.
    pub fn notice(
        &mut self,
        outcomes: &[Outcome],
        policy: DisablePolicy,
        now: OffsetDateTime,
    ) -> Option<Notice> {
        if outcomes.contains(&Outcome::Gone) {
            return Some(Notice::DisabledByGone);
        }
        let (first, last) = self.first_failure_at.zip(self.last_failure_at)?;
        if self.failures >= policy.failures && last - first >= policy.span {
            return Some(Notice::DisabledAfterFailures);
        }
        if self.mailed_at.is_some_and(|at| now - at < MAIL_INTERVAL) {
            return None;
        }
        self.mailed_at = Some(now);
        let failures = std::mem::take(&mut self.failures_since_mail);
        Some(Notice::DeliveriesFailed(failures))
    }
}

impl Notice {
    /// Why the endpoint was switched off; `None`: it was not.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::DeliveriesFailed(_) => None,
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

    /// The notices after failures that many hours after the start.
    fn notices(hours: &[i64]) -> Vec<Option<Notice>> {
        let mut health = Health::default();
        let failed = hours.iter().map(|hour| {
            let at = START + Duration::hours(*hour);
            let outcomes = [Outcome::Failed(at)];
            health.apply(&outcomes, at);
            health.notice(&outcomes, DisablePolicy::default(), at)
        });
        failed.collect()
    }

    #[test]
    fn five_failures_over_five_days_switch_off() {
        let off = Some(Notice::DisabledAfterFailures);
        let is_off = |days: &[i64]| {
            let hours: Vec<i64> = days.iter().map(|day| day * 24).collect();
            notices(&hours).contains(&off)
        };
        assert!(is_off(&[0, 1, 2, 3, 5]));
        assert!(!is_off(&[0, 1, 2, 3, 4]));
        assert!(!is_off(&[0, 5, 6, 7]));
        assert!(is_off(&[0, 0, 0, 0, 0, 6]));
    }

    #[test]
    fn a_daily_mail_counts_the_failures_since_the_last_one() {
        let failed = |count| Some(Notice::DeliveriesFailed(count));
        let hours = [0, 1, 23, 24, 25, 60];
        let expected = [failed(1), None, None, failed(3), None, failed(2)];
        assert_eq!(notices(&hours), expected);
    }

    #[test]
    fn failures_count_from_the_last_success_and_for_the_mail_from_the_last_mail() {
        let mut health = Health::default();
        let failed = Outcome::Failed(START);
        health.apply(&[failed, failed, Outcome::Delivered, failed], START);
        assert_eq!((health.failures, health.failures_since_mail), (1, 3));
        let outcomes = [failed, Outcome::Gone, Outcome::Delivered];
        health.apply(&outcomes, START);
        assert_eq!((health.failures, health.first_failure_at), (0, None));
        let notice = health.notice(&outcomes, DisablePolicy::default(), START);
        assert_eq!(notice, Some(Notice::DisabledByGone));
    }
}
