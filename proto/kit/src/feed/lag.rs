//! The positions of feeds and followers as metrics. The lag of a follower is the difference of its two gauges.

use super::Position;

/// Sets the gauge of the head, in a process of the producer.
pub(super) fn head(producer: &'static str, seq: i64) {
    metrics::gauge!("feed_head_seq", "producer" => producer).set(value(seq));
}

/// The gauges of one follower.
pub(super) struct Follower {
    head: metrics::Gauge,
    cursor: metrics::Gauge,
}

impl Follower {
    /// The gauges of the follower that is registered as `name`. An unregistered follower is called `memory`.
    pub(super) fn new(producer: &'static str, name: &str) -> Self {
        let name = if name.is_empty() { "memory" } else { name };
        let labels = [
            ("producer", producer.to_owned()),
            ("follower", name.to_owned()),
        ];
        Self {
            head: metrics::gauge!("feed_follower_head_seq", &labels),
            cursor: metrics::gauge!("feed_follower_seq", &labels),
        }
    }

    /// Sets the head that the producer has sent last.
    pub(super) fn set_head(&self, seq: i64) {
        self.head.set(value(seq));
    }

    /// Sets the position that the follower has applied.
    pub(super) fn set_applied(&self, position: Option<Position>) {
        self.cursor.set(value(position.map_or(0, |at| at.seq)));
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
