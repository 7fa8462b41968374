//! The positions of followers as metrics, and how long a follower has been behind.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How often the lag is updated while a batch is applied.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// The gauges of one follower.
///
/// Its lag in seconds is the time since it last had applied all that the producer had sent. A follower without a stream is behind: it does
/// not know what it lacks.
pub(super) struct Follower {
    head: metrics::Gauge,
    cursor: metrics::Gauge,
    lag: metrics::Gauge,
    head_seq: i64,
    applied_seq: i64,
    behind_since: Option<Instant>,
}

impl Follower {
    /// The gauges of the follower `name`.
    pub(super) fn new(producer: &'static str, name: &str) -> Self {
        let labels = [("producer", producer.to_owned()), ("follower", name.to_owned())];
        Self {
            head: metrics::gauge!("feed_follower_head_seq", &labels),
            cursor: metrics::gauge!("feed_follower_seq", &labels),
            lag: metrics::gauge!("feed_follower_lag_seconds", &labels),
            head_seq: 0,
            applied_seq: 0,
            behind_since: None,
        }
    }

    /// A stream begins after `applied`. The lag goes on if the producer has more.
    pub(super) fn set_connected(&mut self, applied: i64, head: i64) {
        self.cursor.set(value(applied));
        self.applied_seq = applied;
        self.set_head(head);
    }

    /// Sets the head that the producer has sent last.
    pub(super) fn set_head(&mut self, seq: i64) {
        self.head.set(value(seq));
        self.head_seq = seq;
        self.update();
    }

    /// Sets the position that the follower has applied.
    pub(super) fn set_applied(&mut self, seq: i64) {
        self.cursor.set(value(seq));
        self.applied_seq = seq;
        self.update();
    }

    /// The follower has no stream.
    pub(super) fn set_disconnected(&mut self) {
        self.behind_since.get_or_insert_with(Instant::now);
        self.set_lag();
    }

    /// Runs `work`, for which the follower does not read the stream, and updates the lag until it ends.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                ended = &mut work => return ended,
                () = sleep(UPDATE_INTERVAL) => self.set_lag(),
            }
        }
    }

    fn update(&mut self) {
        if self.applied_seq >= self.head_seq {
            self.behind_since = None;
        } else {
            self.behind_since.get_or_insert_with(Instant::now);
        }
        self.set_lag();
    }

    fn set_lag(&self) {
        let lag = self.behind_since.map(|since| since.elapsed());
        self.lag.set(lag.unwrap_or_default());
    }
}

/// Another replica follows the feed from now on.
impl Drop for Follower {
    fn drop(&mut self) {
        self.lag.set(0.0);
    }
}

/// Exact up to 2^53, which no feed reaches.
fn value(seq: i64) -> f64 {
    let (high, low) = (seq >> 32, seq & i64::from(u32::MAX));
    let high = f64::from(i32::try_from(high).unwrap_or(i32::MAX));
    let low = f64::from(u32::try_from(low).unwrap_or(u32::MAX));
    high.mul_add(4_294_967_296.0, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_lag_begins_with_the_first_change_that_is_not_applied() {
        let mut follower = Follower::new("listings", "test");
        let lag =
            |follower: &Follower| follower.behind_since.map(|since| since.elapsed().as_secs());
        follower.set_head(7);
        follower.during(sleep(Duration::from_secs(20))).await;
        follower.set_applied(6);
        assert_eq!(lag(&follower), Some(20));
        follower.set_head(8);
        assert_eq!(lag(&follower), Some(20));
        follower.set_applied(8);
        assert_eq!(lag(&follower), None);
        follower.set_disconnected();
        sleep(Duration::from_secs(5)).await;
        follower.set_disconnected();
        assert_eq!(lag(&follower), Some(5));
        follower.set_head(8);
        assert_eq!(lag(&follower), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_lag_goes_on_with_a_stream_that_has_more() {
        let mut follower = Follower::new("listings", "test");
        let lag =
            |follower: &Follower| follower.behind_since.map(|since| since.elapsed().as_secs());
        follower.set_connected(7, 7);
        assert_eq!(lag(&follower), None);
        follower.set_disconnected();
        sleep(Duration::from_mins(5)).await;
        follower.set_connected(7, 9);
        assert_eq!(lag(&follower), Some(300));
        follower.set_applied(9);
        assert_eq!(lag(&follower), None);
    }

    #[test]
    fn a_seq_beyond_32_bits_is_shown_as_it_is() {
        for (seq, shown) in [
            (0, 0.0),
            (7, 7.0),
            (4_294_967_295, 4_294_967_295.0),
            (4_294_967_296, 4_294_967_296.0),
            (9_007_199_254_740_991, 9_007_199_254_740_991.0),
        ] {
            assert!((value(seq) - shown).abs() < 0.5, "{seq}");
        }
    }
}
