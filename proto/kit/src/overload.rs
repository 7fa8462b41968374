//! Overload protection: limits how many calls run at once.
//!
//! Further calls wait for a permit, in order of arrival. Calls that share a [`QueueSlot`] queue one at a time, so that connections take
//! turns.
//!
//! When too many calls wait, or a call has waited too long, it is shed: 503 `unavailable`, with `Retry-After`.
//!
//! Shedding a call costs a good part of answering it, so a short wait is better for both sides. A long wait is not: a call that waits until
//! its caller has given up costs as much as one that is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use metrics::Counter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::Code;
use crate::api::fault::Fault;
use crate::throttle::Throttle;

/// A limit for the calls that run, and the calls that wait, at once.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    /// The limit's name in the log and in metrics.
    at: &'static str,
    permits: Arc<Semaphore>,
    queue: Semaphore,
    shed: Counter,
    warnings: Throttle,
    /// The number of calls shed since the last warning.
    unlogged: AtomicU64,
}

/// The place of a connection in a queue. One of its calls waits there; the others wait for the slot, in order of arrival.
#[derive(Debug, Clone)]
pub struct QueueSlot(Arc<Semaphore>);

impl QueueSlot {
    /// The slot of a new connection.
    #[expect(clippy::new_without_default, reason = "two slots differ")]
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// A call may run until this is dropped.
#[derive(Debug)]
pub struct Permit {
    _permit: OwnedSemaphorePermit,
}

impl ConcurrencyLimit {
    /// Lets up to `calls` run at once. Any number may wait.
    pub fn new(at: &'static str, calls: usize) -> Self {
        Self::with_queue(at, calls, Semaphore::MAX_PERMITS)
    }

    /// Lets up to `calls` run at once, and up to `waiting` others wait.
    pub fn with_queue(at: &'static str, calls: usize, waiting: usize) -> Self {
        let shed = metrics::counter!("calls_shed_total", "at" => at);
        // Prometheus sees an increase only from a value that it has read.
        shed.increment(0);
        Self {
            at,
            permits: Arc::new(Semaphore::new(calls.min(Semaphore::MAX_PERMITS))),
            queue: Semaphore::new(waiting.min(Semaphore::MAX_PERMITS)),
            shed,
            warnings: Throttle::new(),
            unlogged: AtomicU64::new(0),
        }
    }

    /// A permit, if one is free. While others wait, none is.
    fn try_permit(&self) -> Option<Permit> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        Some(Permit { _permit: permit })
    }

    /// Acquires a permit without waiting.
    ///
    /// # Errors
    /// No permit is free.
    pub fn try_acquire(&self) -> Result<Permit, Fault> {
        self.try_permit().ok_or_else(|| self.shed())
    }

    /// Acquires a permit, and waits up to `max_wait` for one.
    ///
    /// # Errors
    /// Too many calls wait already, or no permit became free in time.
    pub async fn acquire(&self, max_wait: Duration) -> Result<Permit, Fault> {
        self.acquire_in(None, max_wait).await
    }

    /// Acquires a permit for a call of a connection. The wait for the connection's slot counts.
    ///
    /// # Errors
    /// As those of [`acquire`](Self::acquire).
    pub async fn acquire_in(
        &self,
        slot: Option<&QueueSlot>,
        max_wait: Duration,
    ) -> Result<Permit, Fault> {
        if let Some(permit) = self.try_permit() {
            return Ok(permit);
        }
        let waiting = async {
            // The semaphores are never closed.
            let _slot = match slot {
                Some(slot) => Some(slot.0.acquire().await.ok()?),
                None => None,
            };
            let _waiting = self.queue.try_acquire().ok()?;
            Arc::clone(&self.permits).acquire_owned().await.ok()
        };
        match timeout(max_wait, waiting).await {
            Ok(Some(permit)) => Ok(Permit { _permit: permit }),
            Ok(None) | Err(_) => Err(self.shed()),
        }
    }

    /// Counts a call that is shed; the log has one line a minute for all of them.
    fn shed(&self) -> Fault {
        self.shed.increment(1);
        self.unlogged.fetch_add(1, Ordering::Relaxed);
        if self.warnings.admits() {
            let calls = self.unlogged.swap(0, Ordering::Relaxed);
            tracing::warn!(calls, at = self.at, "overload: shedding calls");
        }
        let message =
            "The service is overloaded. Try again in a moment, with fewer calls per second.";
        Fault::new(Code::Unavailable, message).with_retry_after(1)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    /// Longer than any test.
    const LONG: Duration = Duration::from_mins(10);

    #[test]
    fn only_so_many_calls_run_at_once() {
        let limit = ConcurrencyLimit::new("a test", 2);
        let first = limit.try_acquire().unwrap();
        let _second = limit.try_acquire().unwrap();
        for _ in 0..3 {
            let shed = limit.try_acquire().unwrap_err();
            assert_eq!((shed.code, shed.retry_after), (Code::Unavailable, Some(1)));
        }
        drop(first);
        assert!(limit.try_acquire().is_ok());
    }

    #[tokio::test]
    async fn permits_are_acquired_in_order_and_waits_are_bounded() {
        let limit = ConcurrencyLimit::new("a test", 1);
        let held = limit.acquire(LONG).await.unwrap();
        let first = async {
            let permit = limit.acquire(LONG).await;
            // The second call gives up while the first has its permit.
            let second = limit.acquire(Duration::from_millis(1)).await;
            (permit.is_ok(), second.unwrap_err().code)
        };
        let (outcome, ()) = tokio::join!(first, async { drop(held) });
        assert_eq!(outcome, (true, Code::Unavailable));
    }

    #[tokio::test]
    async fn connections_take_turns() {
        let limit = ConcurrencyLimit::with_queue("a test", 1, 2);
        let held = limit.acquire(LONG).await.unwrap();
        let (busy, quiet) = (QueueSlot::new(), QueueSlot::new());
        let order = parking_lot::Mutex::new(Vec::new());
        let call = async |slot, name| {
            let _permit = limit.acquire_in(Some(slot), LONG).await.unwrap();
            order.lock().push(name);
        };
        tokio::join!(
            call(&busy, "busy 1"),
            call(&busy, "busy 2"),
            call(&busy, "busy 3"),
            call(&quiet, "quiet"),
            async { drop(held) },
        );
        assert_eq!(*order.lock(), ["busy 1", "quiet", "busy 2", "busy 3"]);
    }

    #[test]
    fn only_so_many_calls_wait() {
        let limit = ConcurrencyLimit::with_queue("a test", 1, 1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _inside = runtime.enter();
        let held = limit.acquire(LONG).now_or_never().unwrap();
        let mut waits = Box::pin(limit.acquire(LONG));
        assert!(waits.as_mut().now_or_never().is_none());
        let beyond = limit.acquire(LONG).now_or_never();
        assert!(beyond.is_some_and(|shed| shed.is_err()));
        drop(held);
        assert!(waits.now_or_never().is_some_and(|permit| permit.is_ok()));
        // The permit and the queue are free again.
        assert!(limit.acquire(LONG).now_or_never().is_some_and(|permit| permit.is_ok()));
    }
}
