//! The measured throughput of the writer. It says which items can be begun before their deadlines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// From this size on, a transaction says how long an item takes: its fixed cost is spread over many.
const LARGE: u32 = 25;

/// Moving average of the time for one item.
#[derive(Debug)]
pub(super) struct Throughput {
    item_micros: AtomicU64,
}

impl Default for Throughput {
    /// A thousand items per second, until a batch is measured.
    fn default() -> Self {
        Self {
            item_micros: AtomicU64::new(1_000),
        }
    }
}

impl Throughput {
    /// How long an item waits behind `queued` others.
    pub(super) fn wait(&self, queued: usize) -> Duration {
        let queued = u64::try_from(queued).unwrap_or(u64::MAX);
        let micros = self.item_micros.load(Ordering::Relaxed);
        Duration::from_micros(micros.saturating_mul(queued))
    }

    /// Adds a transaction to the average. `is_cut`: it ended before it reached all its items, because these are slow.
    ///
    /// Any other small transaction only counts when it lowers the average: its fixed cost is spread over few items, so its time for one item
    /// is an upper bound.
    pub(super) fn record(&self, items: u32, is_cut: bool, took: Duration) {
        let item = u64::try_from((took / items.max(1)).as_micros()).unwrap_or(u64::MAX);
        let before = self.item_micros.load(Ordering::Relaxed);
        if is_cut || items >= LARGE || item < before {
            // Only the writer task calls this, so a load and a store do not race.
            let average = before - before / 4 + item / 4;
            self.item_micros.store(average.max(1), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The average after many transactions of the same kind.
    fn measured(items: u32, is_cut: bool, took: Duration) -> Duration {
        let throughput = Throughput::default();
        for _ in 0..50 {
            throughput.record(items, is_cut, took);
        }
        throughput.wait(1)
    }

    #[test]
    fn small_transactions_count_when_they_are_slow_for_their_items() {
        let quarter = Duration::from_millis(250);
        let slow = measured(20, true, quarter);
        assert!(slow > Duration::from_micros(12_400), "80 items a second");
        assert_eq!(measured(20, false, quarter), Duration::from_millis(1));
        assert!(measured(50, false, quarter) > Duration::from_micros(4_900));
        assert!(measured(2, false, Duration::from_micros(200)) < Duration::from_micros(110));
    }
}
