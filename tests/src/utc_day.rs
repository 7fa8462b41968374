//! Days and months in UTC, by which the fleet counts.

use std::time::Duration;

use kit::Clock;

use crate::eventually_within;

const DAY: i64 = 86_400;
/// A test that counts by day or month needs at least this many seconds before the day ends.
const NEEDED: i64 = 300;
const GIVE_UP: Duration = Duration::from_mins(10);

/// Waits for the next day if this one ends soon, so that all calls of a test count in one day and one month.
pub async fn a_day_with_time_left() {
    let clock = Clock::system();
    eventually_within(GIVE_UP, "the next day of UTC begins", async || {
        let left = DAY - clock.now().unix_timestamp().rem_euclid(DAY);
        (left > NEEDED).then_some(())
    })
    .await;
}
