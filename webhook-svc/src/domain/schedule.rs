//! When a delivery that failed is tried again (§6.2).

use std::time::Duration;

use time::OffsetDateTime;

/// A wish of the receiver (`Retry-After`) is heeded up to this.
const LONGEST_WISH: Duration = Duration::from_hours(12);

/// Of a jitter that is drawn from 0 up to this, this stands for a tenth of the wait.
pub const JITTER: u32 = 1_000;

/// The waits between tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    waits: Vec<Duration>,
}

impl Default for Schedule {
    /// 1 min, 5 min, 30 min, 2 h and 12 h.
    fn default() -> Self {
        let waits = [1, 5, 30, 120, 720].map(Duration::from_mins);
        Self::new(waits.to_vec())
    }
}

impl Schedule {
    /// One more try than `waits`.
    pub fn new(waits: Vec<Duration>) -> Self {
        Self { waits }
    }

    /// Tries in all.
    pub fn tries(&self) -> i32 {
        i32::try_from(self.waits.len() + 1).unwrap_or(i32::MAX)
    }

    /// When a delivery that has so many tries left, and has just failed, is tried next; `None` when it has none left. `jitter` is drawn
    /// from 0 to [`JITTER`]: waits are up to a tenth longer, and the last one is up to a tenth shorter.
    pub fn next_try(
        &self,
        tries_left: i32,
        jitter: u32,
        retry_after: Option<Duration>,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let left = usize::try_from(tries_left).ok().filter(|left| *left > 0)?;
        // One that is tried more often than usual begins with the first wait.
        let at = self.waits.len().saturating_sub(left);
        let wait = *self.waits.get(at)?;
        let tenth = wait * jitter.min(JITTER) / (10 * JITTER);
        let wait = if at + 1 == self.waits.len() {
            wait.saturating_sub(tenth)
        } else {
            wait + tenth
        };
        let wish = retry_after.unwrap_or_default().min(LONGEST_WISH);
        Some(now + wait.max(wish))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn wait(left: i32, jitter: u32, retry_after: Option<u64>) -> Option<i64> {
        let retry_after = retry_after.map(Duration::from_secs);
        let next = Schedule::default().next_try(left, jitter, retry_after, NOW);
        next.map(|next| (next - NOW).whole_seconds())
    }

    #[test]
    fn six_tries_with_growing_waits() {
        assert_eq!(Schedule::default().tries(), 6);
        let waits: Vec<_> = (0..6).rev().map(|left| wait(left, 0, None)).collect();
        let minutes = [60, 300, 1_800, 7_200, 43_200].map(Some);
        assert_eq!(waits, [&minutes[..], &[None]].concat());
        assert_eq!(wait(5, JITTER, None), Some(66));
        assert_eq!(wait(1, JITTER, None), Some(38_880), "the last is shortened");
    }

    #[test]
    fn a_wish_is_a_lower_bound_up_to_twelve_hours() {
        assert_eq!(wait(5, 0, Some(30)), Some(60));
        assert_eq!(wait(5, 0, Some(90)), Some(90));
        assert_eq!(wait(5, 0, Some(u64::MAX)), Some(43_200));
    }

    proptest! {
        #[test]
        fn every_wait_lies_between_one_minute_and_twelve_hours(left in 1..20_i32, jitter: u32, wish: Option<u64>) {
            let wait = wait(left, jitter, wish).unwrap();
            prop_assert!((60..=43_200).contains(&wait), "{}", wait);
        }

        #[test]
        fn nothing_is_tried_without_a_try_left(left in i32::MIN..=0, jitter: u32, wish: Option<u64>) {
            prop_assert_eq!(wait(left, jitter, wish), None);
        }
    }
}
