//! The retry schedule: when a failed delivery is attempted again (§6.2).

use std::time::Duration;

use time::OffsetDateTime;

/// A longer `Retry-After` of the receiver is cut to this time.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(12);

/// Jitter is a number from 0 to this one, which stands for a tenth of the delay.
pub const JITTER: u32 = 1_000;

/// The delays between attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    delays: Vec<Duration>,
}

impl Default for Schedule {
    /// 1 min, 5 min, 30 min, 2 h and 12 h.
    fn default() -> Self {
        let delays = [1, 5, 30, 120, 720].map(Duration::from_mins);
        Self::new(delays.to_vec())
    }
}

impl Schedule {
    /// A schedule with one attempt more than delays.
    pub fn new(delays: Vec<Duration>) -> Self {
        Self { delays }
    }

    /// Attempts in all.
    pub fn attempts(&self) -> i32 {
        i32::try_from(self.delays.len() + 1).unwrap_or(i32::MAX)
    }

    /// When a delivery that has failed at `now` is attempted next; `None`: it has no attempts left. `jitter`, from 0 to [`JITTER`], makes
    /// delays up to a tenth longer, and the last one up to a tenth shorter.
    pub fn next_attempt_at(
        &self,
        attempts_left: i32,
        jitter: u32,
        retry_after: Option<Duration>,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let left = usize::try_from(attempts_left).ok().filter(|left| *left > 0)?;
        // A delivery with more attempts left than the schedule has starts with the first delay.
        let at = self.delays.len().saturating_sub(left);
        let delay = *self.delays.get(at)?;
        let tenth = delay * jitter.min(JITTER) / (10 * JITTER);
        let delay =
            if at + 1 == self.delays.len() { delay.saturating_sub(tenth) } else { delay + tenth };
        let requested = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
        Some(now + delay.max(requested))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn delay(left: i32, jitter: u32, retry_after: Option<u64>) -> Option<i64> {
        let retry_after = retry_after.map(Duration::from_secs);
        let next = Schedule::default().next_attempt_at(left, jitter, retry_after, NOW);
        next.map(|next| (next - NOW).whole_seconds())
    }

    #[test]
    fn six_attempts_have_growing_delays() {
        assert_eq!(Schedule::default().attempts(), 6);
        let delays: Vec<_> = (0..6).rev().map(|left| delay(left, 0, None)).collect();
        let minutes = [60, 300, 1_800, 7_200, 43_200].map(Some);
        assert_eq!(delays, [&minutes[..], &[None]].concat());
        assert_eq!(delay(5, JITTER, None), Some(66));
        assert_eq!(delay(1, JITTER, None), Some(38_880), "the last is shortened");
    }

    #[test]
    fn retry_after_is_a_lower_bound_up_to_twelve_hours() {
        assert_eq!(delay(5, 0, Some(30)), Some(60));
        assert_eq!(delay(5, 0, Some(90)), Some(90));
        assert_eq!(delay(5, 0, Some(u64::MAX)), Some(43_200));
    }

    proptest! {
        #[test]
        fn every_wait_lies_between_one_minute_and_twelve_hours(left in 1..20_i32, jitter: u32, requested: Option<u64>) {
            let delay = delay(left, jitter, requested).unwrap();
            prop_assert!((60..=43_200).contains(&delay), "{}", delay);
        }

        #[test]
        fn without_attempts_left_there_is_no_next_attempt(left in i32::MIN..=0, jitter: u32, requested: Option<u64>) {
            prop_assert_eq!(delay(left, jitter, requested), None);
        }
    }
}
