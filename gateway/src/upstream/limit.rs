//! How many calls a service has of one thread at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};
use tonic::{Code, Status};

use super::Bounds;

/// Limits the calls that a service has at once. A call beyond waits for a permit, but not while the service hangs.
///
/// A call that waits holds a permit of `layers/admission.rs`. If every read waited for a service that does not answer, no permit would
/// be left for other routes. So once a call has waited in vain and no other was answered meanwhile, calls that find no permit are shed at
/// once, until the service answers.
#[derive(Debug)]
pub(super) struct CallLimit {
    limit: ConcurrencyLimit,
    patience: Duration,
    /// How many calls were answered.
    answered: AtomicU64,
    hangs: AtomicBool,
}

impl CallLimit {
    /// The name is that in the log and in metrics.
    pub(super) fn new(name: &'static str, bounds: Bounds) -> Self {
        Self {
            limit: ConcurrencyLimit::new(name, bounds.calls),
            patience: bounds.patience,
            answered: AtomicU64::new(0),
            hangs: AtomicBool::new(false),
        }
    }

    /// Acquires a permit for a call.
    ///
    /// # Errors
    /// None came free in time, or none is free and the service hangs.
    pub(super) async fn acquire(&self) -> Result<Permit, Fault> {
        if self.hangs.load(Ordering::Relaxed) {
            return self.limit.try_acquire();
        }
        let answered = self.answered.load(Ordering::Relaxed);
        let permit = self.limit.acquire(self.patience).await;
        if permit.is_err() && self.answered.load(Ordering::Relaxed) == answered {
            self.hangs.store(true, Ordering::Relaxed);
        }
        permit
    }

    /// Notes that a call has ended.
    pub(super) fn ended<T>(&self, response: &Result<T, Status>) {
        let timed_out = matches!(response, Err(status) if status.code() == Code::DeadlineExceeded);
        if !timed_out {
            self.answered.fetch_add(1, Ordering::Relaxed);
            self.hangs.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn no_call_waits_for_a_service_that_hangs() {
        let bounds = Bounds {
            deadline: Duration::ZERO,
            write_deadline: Duration::ZERO,
            calls: 1,
            patience: Duration::from_millis(1),
        };
        let limit = CallLimit::new("a test", bounds);
        let held = limit.acquire().await.unwrap();
        assert!(limit.acquire().now_or_never().is_none(), "it may wait");
        assert!(limit.acquire().await.is_err());

        let timed_out = Err::<(), _>(Status::new(Code::DeadlineExceeded, ""));
        limit.ended(&timed_out);
        let shed = limit.acquire().now_or_never().unwrap();
        assert!(shed.is_err());
        drop(held);
        let held = limit.acquire().now_or_never().unwrap();
        assert!(held.is_ok(), "a free permit is given out all the same");

        limit.ended(&Ok(()));
        assert!(limit.acquire().now_or_never().is_none(), "it waits again");

        // A service that is only slow does not hang.
        let (shed, ()) = tokio::join!(limit.acquire(), async { limit.ended(&Ok(())) });
        assert!(shed.is_err());
        assert!(limit.acquire().now_or_never().is_none(), "it waits still");
    }
}
