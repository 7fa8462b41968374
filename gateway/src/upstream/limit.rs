//! Limits how many calls the gateway makes to a service at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};
use tonic::{Code, Status};

use super::CallLimits;

/// Limits concurrent calls to a service. Further calls wait for a permit, unless the service is unresponsive.
///
/// A call that waits holds an admission permit. If every read waited for a service that does not respond, no admission permit
/// would be left for other routes. The service counts as unresponsive once a call has waited in vain and no other call was
/// answered meanwhile. Until the service responds again, calls that find no permit are shed at once.
#[derive(Debug)]
pub(super) struct CallLimit {
    limit: ConcurrencyLimit,
    queue_timeout: Duration,
    /// Calls that the service has answered.
    responses: AtomicU64,
    unresponsive: AtomicBool,
}

impl CallLimit {
    /// `name` appears in logs and metrics.
    pub(super) fn new(name: &'static str, limits: CallLimits) -> Self {
        Self {
            limit: ConcurrencyLimit::new(name, limits.calls),
            queue_timeout: limits.queue_timeout,
            responses: AtomicU64::new(0),
            unresponsive: AtomicBool::new(false),
        }
    }

    /// Acquires a permit.
    ///
    /// # Errors
    /// No permit was released in time, or none is free and the service is unresponsive.
    pub(super) async fn acquire(&self) -> Result<Permit, Fault> {
        if self.unresponsive.load(Ordering::Relaxed) {
            return self.limit.try_acquire();
        }
        let responses = self.responses.load(Ordering::Relaxed);
        let permit = self.limit.acquire(self.queue_timeout).await;
        if permit.is_err() && self.responses.load(Ordering::Relaxed) == responses {
            self.unresponsive.store(true, Ordering::Relaxed);
        }
        permit
    }

    /// Records the end of a call.
    pub(super) fn record<T>(&self, response: &Result<T, Status>) {
        let timed_out = matches!(response, Err(status) if status.code() == Code::DeadlineExceeded);
        if !timed_out {
            self.responses.fetch_add(1, Ordering::Relaxed);
            self.unresponsive.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn no_call_waits_for_an_unresponsive_service() {
        let limits = CallLimits {
            deadline: Duration::ZERO,
            write_deadline: Duration::ZERO,
            calls: 1,
            queue_timeout: Duration::from_millis(1),
        };
        let limit = CallLimit::new("a test", limits);
        let permit = limit.acquire().await.unwrap();
        assert!(limit.acquire().now_or_never().is_none(), "it waits");
        assert!(limit.acquire().await.is_err());

        let timed_out = Err::<(), _>(Status::new(Code::DeadlineExceeded, ""));
        limit.record(&timed_out);
        let shed = limit.acquire().now_or_never().unwrap();
        assert!(shed.is_err());
        drop(permit);
        let permit = limit.acquire().now_or_never().unwrap();
        assert!(permit.is_ok(), "a free permit is acquired nevertheless");

        limit.record(&Ok(()));
        assert!(limit.acquire().now_or_never().is_none(), "it waits again");

        // A service that responds slowly is not unresponsive.
        let (shed, ()) = tokio::join!(limit.acquire(), async { limit.record(&Ok(())) });
        assert!(shed.is_err());
        assert!(limit.acquire().now_or_never().is_none(), "it waits still");
    }
}
