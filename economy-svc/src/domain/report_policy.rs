//! The limits of reports that a deployment sets.

use kit::{Code, Fault};
use time::{Duration, OffsetDateTime};

/// By how much the timer of a game should be longer than the shortest time between two reports. A
/// timer without it is early by milliseconds every other time.
const TIMER_SLACK: Duration = Duration::minutes(5);

/// What a report must meet to be stored, and to count without a review.
#[derive(Debug, Clone, Copy)]
pub struct ReportPolicy {
    /// The shortest time between two stored reports of a game.
    pub report_interval: Duration,
    /// The largest change of the basket's cost, in percent, with which a report counts without a review.
    pub most_jump_percent: u32,
}

impl ReportPolicy {
    /// Refuses a report that comes too soon after the game's last one, whether that one counts or
    /// is held.
    pub fn check_interval(
        self,
        newest: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Result<(), Fault> {
        let wait = newest.map(|newest| newest + self.report_interval - now);
        let Some(wait) = wait.filter(|wait| wait.is_positive()) else {
            return Ok(());
        };
        let (least, timer) = (self.report_interval, self.report_interval + TIMER_SLACK);
        let message = format!(
            "Two reports of a game must be at least {} apart. Send this one again in {}, and later \
             ones by a timer of {}.",
            minutes(least),
            minutes(wait),
            minutes(timer)
        );
        Err(Fault::new(Code::TooSoon, message).retry_in(wait))
    }
}

/// A duration in minutes, rounded up.
fn minutes(duration: Duration) -> String {
    let minutes = (duration + Duration::MINUTE - Duration::NANOSECOND).whole_minutes();
    if minutes == 1 { "1 minute".to_owned() } else { format!("{minutes} minutes") }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    /// The refusal of a report so long after the one before.
    fn refused_after(age: Duration) -> Fault {
        let policy = ReportPolicy { report_interval: Duration::HOUR, most_jump_percent: 50 };
        policy.check_interval(Some(NOW - age), NOW).unwrap_err()
    }

    #[test]
    fn a_report_that_is_too_soon_is_told_the_rule_its_wait_and_a_timer_that_keeps_the_rule() {
        for (age, seconds, wait) in [
            (Duration::ZERO, 3_600, "60 minutes"),
            (Duration::minutes(20), 2_400, "40 minutes"),
            (Duration::minutes(59), 60, "1 minute"),
            (Duration::HOUR - Duration::MILLISECOND, 1, "1 minute"),
        ] {
            let fault = refused_after(age);
            assert_eq!(fault.retry_after, Some(seconds), "{age}");
            let numbers =
                ["60 minutes apart".to_owned(), format!(" in {wait},"), "65 minutes".to_owned()];
            for number in numbers {
                assert!(fault.message.contains(&number), "{age}: {}", fault.message);
            }
        }
    }
}
