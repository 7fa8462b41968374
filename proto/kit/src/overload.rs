//! How many calls a server takes on at once. Whoever comes beyond that waits for its turn, but not long, or is told at once (503
//! `unavailable`, with `Retry-After`).
//!
//! To turn a call away costs a good part of an answer, so a short wait is better for both sides; a long one is not: who waits until
//! nobody waits for its answer any more costs as much as one that is answered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics::Counter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::fault::{Code, Fault};

/// Calls under way, and how many there may be.
#[derive(Debug)]
pub struct Load {
    /// Who has the calls, for the log and metrics.
    at: &'static str,
    places: Arc<Semaphore>,
    /// What was turned away, for the metrics: looked up once, when there is something to tell.
    counter: OnceLock<Counter>,
    begun: Instant,
    /// What was turned away since the log was told.
    turned_away: AtomicU64,
    /// When the log was told, in seconds since this was begun.
    told: AtomicU64,
}

/// A call under way; over when this is dropped.
#[derive(Debug)]
pub struct UnderWay {
    _place: OwnedSemaphorePermit,
}

impl Load {
    /// Takes on so many calls `at` a place.
    pub fn new(at: &'static str, most: usize) -> Self {
        Self {
            at,
            places: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
            counter: OnceLock::new(),
            begun: Instant::now(),
            turned_away: AtomicU64::new(0),
            told: AtomicU64::new(u64::MAX),
        }
    }

    /// Whether there is no place left just now.
    pub fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    /// Takes a call on at once, if there is a place.
    pub fn try_take_on(&self) -> Option<UnderWay> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(UnderWay { _place: place })
    }

    /// Takes a call on at once.
    ///
    /// # Errors
    /// There are too many. The log is told once a second, not of each.
    pub fn take_on(&self) -> Result<UnderWay, Fault> {
        self.try_take_on().ok_or_else(|| self.turn_away())
    }

    /// Takes a call on when its turn has come: first come, first served.
    ///
    /// # Errors
    /// It did not come within `patience`.
    pub async fn take_on_within(&self, patience: Duration) -> Result<UnderWay, Fault> {
        if let Some(taken_on) = self.try_take_on() {
            return Ok(taken_on);
        }
        match timeout(patience, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(UnderWay { _place: place }),
            Ok(Err(_)) | Err(_) => Err(self.turn_away()),
        }
    }

    fn turn_away(&self) -> Fault {
        let counter = || metrics::counter!("calls_turned_away_total", "at" => self.at);
        self.counter.get_or_init(counter).increment(1);
        self.turned_away.fetch_add(1, Ordering::Relaxed);
        let second = self.begun.elapsed().as_secs();
        if self.told.swap(second, Ordering::Relaxed) != second {
            let calls = self.turned_away.swap(0, Ordering::Relaxed);
            tracing::warn!(calls, at = self.at, "overload: calls are turned away");
        }
        Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::Unavailable,
                "there are more calls than can be answered just now; try again in a moment, and more slowly",
            )
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

    #[tokio::test(start_paused = true)]
    async fn a_turn_is_waited_for_in_order_and_not_for_long() {
        let load = Load::new("a test", 1);
        let patience = Duration::from_millis(500);
        let held = load.take_on_within(patience).await.unwrap();
        let (first, second, ()) = tokio::join!(
            load.take_on_within(patience),
            load.take_on_within(patience),
            async { drop(held) }
        );
        // The first has its turn and keeps it, so the second's does not come.
        assert!(first.is_ok());
        assert_eq!(second.unwrap_err().code, Code::Unavailable);
    }
}
