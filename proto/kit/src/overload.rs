//! How many calls a server takes on at once; whoever comes beyond that is told so at once (503 `unavailable`, with `Retry-After`).
//!
//! A call that waits for its turn until nobody waits for its answer any more would cost as much as one that is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::time::Instant;

use crate::fault::{Code, Fault};

/// Calls under way, and how many there may be.
#[derive(Debug)]
pub struct Load {
    /// Who has the calls, for the log and metrics.
    at: &'static str,
    most: usize,
    under_way: Arc<AtomicUsize>,
    begun: Instant,
    /// What was turned away since the log was told.
    turned_away: AtomicU64,
    /// When the log was told, in seconds since this was begun.
    told: AtomicU64,
}

/// A call under way; over when this is dropped.
#[derive(Debug)]
pub struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Load {
    /// Takes on so many calls `at` a place.
    pub fn new(at: &'static str, most: usize) -> Self {
        Self {
            at,
            most,
            under_way: Arc::default(),
            begun: Instant::now(),
            turned_away: AtomicU64::new(0),
            told: AtomicU64::new(u64::MAX),
        }
    }

    /// Takes a call on.
    ///
    /// # Errors
    /// There are too many. The log is told once a second, not of each.
    pub fn take_on(&self) -> Result<UnderWay, Fault> {
        if self.under_way.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(UnderWay(Arc::clone(&self.under_way)));
        }
        self.under_way.fetch_sub(1, Ordering::Relaxed);
        metrics::counter!("calls_turned_away_total", "at" => self.at).increment(1);
        self.tell();
        Err(Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::Unavailable,
                "there are more calls than can be answered just now; try again in a moment, and more slowly",
            )
        })
    }

    fn tell(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
        let second = self.begun.elapsed().as_secs();
        if self.told.swap(second, Ordering::Relaxed) != second {
            let calls = self.turned_away.swap(0, Ordering::Relaxed);
            tracing::warn!(calls, at = self.at, "overload: calls are turned away");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_taken_on_and_no_more() {
        let load = Load::new("a test", 2);
        let first = load.take_on().unwrap();
        let _second = load.take_on().unwrap();
        for _ in 0..3 {
            let refused = load.take_on().unwrap_err();
            assert_eq!(
                (refused.code, refused.retry_after),
                (Code::Unavailable, Some(1))
            );
        }
        drop(first);
        assert!(load.take_on().is_ok());
    }
}
