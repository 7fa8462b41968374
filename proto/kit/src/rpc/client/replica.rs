//! A replica of a service. After failures it is avoided, until it passes a health check: first
//! after a second, then after twice as long each time, up to 30 seconds.

use std::error::Error as _;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::Uri;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tonic::Status;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::transport::Transport;
use super::verdict::{Verdict, Weight, transport_status};
use crate::grpc_address;
use crate::throttle::Throttle;

/// The failures in a row after which a replica is avoided that can be reached.
const FAILURES: u32 = 5;
/// How long a replica is avoided before its first health check. The time doubles after each check
/// that fails, up to the maximum.
const FIRST_CHECK: Duration = Duration::from_secs(1);
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// How long a health check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// What an operator may have to change when a connection without TLS is lost before its first
/// response: a TLS port closes it in this way.
const PLAIN_HINT: &str = "if the port speaks TLS, its address begins with https://";
/// Warnings of replicas that are avoided.
static WARNINGS: Throttle = Throttle::new();

/// One replica of a service, as one client sees it.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) uri: Uri,
    pub(super) channel: Channel,
    in_flight: AtomicUsize,
    /// Failures since the last answer.
    failures: AtomicU32,
    is_avoided: AtomicBool,
    has_answered: AtomicBool,
    /// Raised by a failure, so that the addresses are resolved again.
    call_failed: Arc<Notify>,
}

/// A call in flight; it counts for its replica until this is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    pub(super) replica: Arc<Replica>,
}

impl Replica {
    pub(super) fn new(uri: Uri, transport: &Transport, call_failed: &Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            channel: transport.channel(&uri),
            uri,
            in_flight: AtomicUsize::new(0),
            failures: AtomicU32::new(0),
            is_avoided: AtomicBool::new(false),
            has_answered: AtomicBool::new(false),
            call_failed: Arc::clone(call_failed),
        })
    }

    /// Counts a call.
    pub(super) fn acquire(self: &Arc<Self>) -> InFlightGuard {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlightGuard { replica: Arc::clone(self) }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Whether calls go elsewhere.
    pub(super) fn is_avoided(&self) -> bool {
        self.is_avoided.load(Ordering::Relaxed)
    }

    /// Records the outcome of an attempt.
    pub(super) fn record(self: &Arc<Self>, verdict: Verdict, is_idempotent: bool) {
        match verdict.weight(is_idempotent) {
            Weight::Nothing => {}
            Weight::Success => {
                self.has_answered.store(true, Ordering::Relaxed);
                self.failures.store(0, Ordering::Relaxed);
            }
            Weight::Failure => {
                self.call_failed.notify_one();
                if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= FAILURES {
                    self.avoid(verdict);
                }
            }
            Weight::Down => {
                self.call_failed.notify_one();
                self.avoid(verdict);
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the task ends with the replica")]
    fn avoid(self: &Arc<Self>, verdict: Verdict) {
        if self.is_avoided.swap(true, Ordering::Relaxed) {
            return;
        }
        metrics::gauge!("rpc_client_replicas_avoided").increment(1.0);
        if WARNINGS.admits() {
            tracing::warn!(replica = %self.uri, reason = %verdict, "a replica is avoided until it passes a health check");
        }
        tokio::spawn(check(Arc::downgrade(self), self.channel.clone()));
    }

    /// Ends the time in which the replica is avoided.
    fn take_back(&self) {
        self.failures.store(0, Ordering::Relaxed);
        if self.is_avoided.swap(false, Ordering::Relaxed) {
            metrics::gauge!("rpc_client_replicas_avoided").decrement(1.0);
        }
    }

    /// The status of an attempt with all causes of an error of the transport.
    pub(super) fn explain(&self, status: Status) -> Status {
        match status.source() {
            Some(error) if !error.is::<Verdict>() => transport_status(error, self.hint()),
            _ => status,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        let is_unknown =
            !self.has_answered.load(Ordering::Relaxed) && !grpc_address::has_tls(&self.uri);
        is_unknown.then_some(PLAIN_HINT)
    }
}

fn check_intervals() -> impl Iterator<Item = Duration> {
    let next = |last: &Duration| Some((2 * *last).min(MAX_CHECK_INTERVAL));
    std::iter::successors(Some(FIRST_CHECK), next)
}

/// Checks the health of a replica until it serves or is removed.
async fn check(replica: Weak<Replica>, channel: Channel) {
    let mut health = HealthClient::new(channel);
    for interval in check_intervals() {
        sleep(interval).await;
        if replica.strong_count() == 0 {
            return;
        }
        let checking = timeout(CHECK_TIMEOUT, health.check(HealthCheckRequest::default())).await;
        let serves = checking.is_ok_and(|checked| {
            checked.is_ok_and(|it| it.get_ref().status() == ServingStatus::Serving)
        });
        if serves {
            if let Some(replica) = replica.upgrade() {
                replica.take_back();
            }
            return;
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // The gauge counts replicas that are still addresses of the service.
        self.take_back();
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.replica.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_checks_come_less_and_less_often() {
        let seconds: Vec<u64> = check_intervals().take(7).map(|it| it.as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30]);
    }
}
