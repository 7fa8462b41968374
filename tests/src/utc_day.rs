//! The days and months of UTC in which the fleet counts.

use std::time::Duration;

use kit::Clock;

use crate::eventually_within;

/// Seconds of a day.
const DAY: i64 = 86_400;
/// A test that counts by day or month does not begin when fewer seconds of the day are left.
const NEEDED: i64 = 300;
const GIVE_UP: Duration = Duration::from_mins(10);

/// Waits for the next day if this one ends soon, so that everything that a test does is counted in one day and in one month.
pub async fn a_day_with_time_left() {
    let clock = Clock::system();
    eventually_within(GIVE_UP, "the next day of UTC begins", async || {
        let left = DAY - clock.now().unix_timestamp().rem_euclid(DAY);
        (left > NEEDED).then_some(())
    })
    .await;
}
