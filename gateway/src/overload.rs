//! How much a thread takes on at once. Whoever comes beyond that is told so at once (503 `unavailable`, with `Retry-After`): a call
//! that waits for its turn until nobody waits for its answer any more would cost as much as one that is answered.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use kit::{Code, Fault};
use time::OffsetDateTime;

/// Calls under way, and how many there may be.
#[derive(Debug)]
pub struct Load {
    most: usize,
    under_way: AtomicUsize,
    /// What was turned away since the log was told.
    turned_away: AtomicU64,
    /// When the log was told, in seconds.
    told: AtomicU64,
}

/// A call under way; over when this is dropped.
#[derive(Debug)]
pub struct UnderWay<'a>(&'a AtomicUsize);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Load {
    /// Takes on so many calls.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            under_way: AtomicUsize::new(0),
            turned_away: AtomicU64::new(0),
            told: AtomicU64::new(0),
        }
    }

    /// Takes a call on.
    ///
    /// # Errors
    /// There are too many. The log is told once a second, not of each.
    pub fn take_on(&self, what: &'static str, now: OffsetDateTime) -> Result<UnderWay<'_>, Fault> {
        if self.under_way.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(UnderWay(&self.under_way));
        }
        self.under_way.fetch_sub(1, Ordering::Relaxed);
        metrics::counter!("calls_turned_away_total", "at" => what).increment(1);
        self.tell(what, now);
        Err(Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::Unavailable,
                "there are more calls than can be answered just now; try again in a moment, and more slowly",
            )
        })
    }

    fn tell(&self, what: &'static str, now: OffsetDateTime) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
        let second = now.unix_timestamp().unsigned_abs();
        if self.told.swap(second, Ordering::Relaxed) != second {
            let calls = self.turned_away.swap(0, Ordering::Relaxed);
            tracing::warn!(calls, at = what, "overload: calls are turned away");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_taken_on_and_no_more() {
        let (load, now) = (Load::new(2), OffsetDateTime::UNIX_EPOCH);
        let first = load.take_on("port", now).unwrap();
        let _second = load.take_on("port", now).unwrap();
        for _ in 0..3 {
            let refused = load.take_on("port", now).unwrap_err();
            assert_eq!(
                (refused.code, refused.retry_after),
                (Code::Unavailable, Some(1))
            );
        }
        drop(first);
        assert!(load.take_on("port", now).is_ok());
    }
}
