//! The limits of reports that a deployment sets.

use kit::{Code, Fault};
use time::{Duration, OffsetDateTime};

/// What a report must meet to be stored, and to count without a review.
#[derive(Debug, Clone, Copy)]
pub struct ReportPolicy {
    /// The shortest time between two stored reports of a game.
    pub report_interval: Duration,
    /// The largest change of the basket's cost, in percent, with which a report counts without a review.
    pub most_jump_percent: u32,
}

impl ReportPolicy {
    /// Refuses a report that comes too soon after the game's last one, whether that one counts or is held.
    pub fn check_interval(
        self,
        newest: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Result<(), Fault> {
        let wait = newest.map(|newest| newest + self.report_interval - now);
        let Some(wait) = wait.filter(|wait| wait.is_positive()) else {
            return Ok(());
        };
        let message = format!(
            "The game's last report is less than {} minutes old. Send the next one as Retry-After says.",
            self.report_interval.whole_minutes()
        );
        Err(Fault::new(Code::TooSoon, message).retry_in(wait))
    }
}
