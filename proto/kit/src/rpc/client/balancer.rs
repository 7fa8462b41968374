//! Load balancing: a call goes to the replica with the fewest calls in flight, among those whose calls do not fail. A replica is avoided for a
//! second after a failure, and for twice as long after each further one, up to 30 seconds. Then one call that can be made again elsewhere
//! probes it; other calls avoid it until a call has succeeded there. When the calls of all replicas fail, calls go to any of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Uri;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::addresses::Resolver;
use super::connection::HttpClient;
use super::transport::Transport;
use super::transport_error::TransportError;
use crate::throttle::Throttle;

/// How long a replica is avoided after its first failure. Each further failure in a row doubles the time, up to the maximum.
const AVOIDED: Duration = Duration::from_secs(1);
const MAX_AVOIDED: Duration = Duration::from_secs(30);
/// Warnings of calls that failed.
static WARNINGS: Throttle = Throttle::new();

/// The replicas of a service, as one client sees them.
pub(super) struct Balancer {
    endpoints: Mutex<Endpoints>,
}

struct Endpoints {
    addresses: watch::Receiver<Arc<[Uri]>>,
    /// Shared with the resolver.
    call_failed: Arc<Notify>,
    transport: Transport,
    replicas: Vec<Arc<Replica>>,
    /// Where the next search begins, so that replicas with equally many calls take turns.
    next: usize,
}

/// One replica of a service.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) uri: Uri,
    /// Its connection.
    pub(super) http: HttpClient,
    in_flight: AtomicUsize,
    failures: Mutex<Failures>,
    /// Raised by a failure, so that the addresses are resolved again.
    call_failed: Arc<Notify>,
}

/// The failures of a replica since its last success.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// When a probe is due; `None` without a failure.
    probe_at: Option<Instant>,
    /// A probe is in flight. Its guard clears this, and nothing else does: there is one probe at a time.
    is_probed: bool,
}

/// Which calls a replica gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Any call.
    Healthy,
    /// A probe.
    ProbeDue,
    /// None while there is another replica: its failures are recent, or a probe is in flight.
    Avoided,
}

/// A call in flight; it counts for its replica until this is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    pub(super) replica: Arc<Replica>,
    is_probe: bool,
}

impl Balancer {
    pub(super) fn new(resolver: Resolver, transport: Transport) -> Self {
        let mut endpoints = Endpoints {
            addresses: resolver.list,
            call_failed: resolver.call_failed,
            transport,
            replicas: Vec::new(),
            next: 0,
        };
        endpoints.update();
        Self { endpoints: Mutex::new(endpoints) }
    }

    /// Picks a replica: not `except`, unless there is no other. The call may probe a replica if it can be made again elsewhere. Waits while no
    /// address is known.
    pub(super) async fn pick(&self, except: Option<&Replica>, may_probe: bool) -> InFlightGuard {
        loop {
            let picked = {
                let mut endpoints = self.endpoints.lock();
                // A fixed list has no sender and never changes.
                if endpoints.addresses.has_changed().unwrap_or(false) {
                    endpoints.update();
                }
                let picked = endpoints.pick(Instant::now(), except, may_probe);
                picked.ok_or_else(|| endpoints.addresses.clone())
            };
            match picked {
                Ok(guard) => return guard,
                // The sender lives as long as the process.
                Err(mut addresses) => {
                    if addresses.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
            }
        }
    }

    /// Whether calls to another replica than this one succeed.
    pub(super) fn has_healthy_other(&self, replica: &Replica) -> bool {
        let now = Instant::now();
        let endpoints = self.endpoints.lock();
        let mut others =
            (endpoints.replicas.iter()).filter(|other| !std::ptr::eq(replica, Arc::as_ptr(other)));
        others.any(|other| other.health(now) == Health::Healthy)
    }
}

impl Endpoints {
    /// Adds and removes replicas after a change of addresses. Calls in flight to a removed replica finish.
    fn update(&mut self) {
        let addresses = Arc::clone(&self.addresses.borrow_and_update());
        let mut former = std::mem::take(&mut self.replicas);
        self.replicas = addresses
            .iter()
            .map(|uri| {
                let index = former.iter().position(|replica| replica.uri == *uri);
                index.map_or_else(
                    || Replica::new(uri.clone(), &self.transport, &self.call_failed),
                    |index| former.swap_remove(index),
                )
            })
            .collect();
    }

    fn pick(
        &mut self,
        now: Instant,
        except: Option<&Replica>,
        may_probe: bool,
    ) -> Option<InFlightGuard> {
        let count = self.replicas.len();
        if count == 0 {
            return None;
        }
        self.next = (self.next + 1) % count;
        let rotated = (0..count).map(|index| &self.replicas[(self.next + index) % count]);
        let picked = rotated.min_by_key(|replica| {
            let is_excepted = except.is_some_and(|it| std::ptr::eq(it, Arc::as_ptr(replica)));
            let rank = match replica.health(now) {
                Health::ProbeDue if may_probe => 0,
                Health::Healthy => 1,
                Health::ProbeDue => 2,
                Health::Avoided => 3,
            };
            (is_excepted, rank, replica.in_flight.load(Ordering::Relaxed))
        })?;
        let mut guard = picked.acquire();
        if may_probe && picked.health(now) == Health::ProbeDue {
            // Other calls must not wait for the same answer.
            picked.failures.lock().is_probed = true;
            guard.is_probe = true;
        }
        Some(guard)
    }
}

impl Replica {
    pub(super) fn new(uri: Uri, transport: &Transport, call_failed: &Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            http: HttpClient::new(uri.clone(), transport),
            uri,
            in_flight: AtomicUsize::new(0),
            failures: Mutex::default(),
            call_failed: Arc::clone(call_failed),
        })
    }

    /// Counts a call.
    pub(super) fn acquire(self: &Arc<Self>) -> InFlightGuard {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlightGuard { replica: Arc::clone(self), is_probe: false }
    }

    /// Records a call that was answered.
    pub(super) fn record_success(&self) {
        let mut failures = self.failures.lock();
        (failures.count, failures.probe_at) = (0, None);
    }

    fn record_failure(&self, error: &TransportError, is_probe: bool) {
        let now = Instant::now();
        let mut failures = self.failures.lock();
        // A call that was in flight when the replica became one to avoid says nothing new.
        if is_probe || failures.health(now) != Health::Avoided {
            let time = AVOIDED.saturating_mul(1 << failures.count.min(5));
            failures.count += 1;
            failures.probe_at = Some(now + time.min(MAX_AVOIDED));
        }
        drop(failures);
        self.call_failed.notify_one();
        if WARNINGS.admits() {
            tracing::warn!(replica = %self.uri, ?error, "a call failed: other replicas get the calls until one succeeds there");
        }
    }

    fn health(&self, now: Instant) -> Health {
        self.failures.lock().health(now)
    }
}

impl Failures {
    fn health(&self, now: Instant) -> Health {
        match self.probe_at {
            None => Health::Healthy,
            Some(at) if at <= now && !self.is_probed => Health::ProbeDue,
            Some(_) => Health::Avoided,
        }
    }
}

impl InFlightGuard {
    /// Records that the call failed. A stream that was reset says nothing about its replica.
    pub(super) fn record_failure(&self, error: &TransportError) {
        if !matches!(error, TransportError::Reset(_)) {
            self.replica.record_failure(error, self.is_probe);
        }
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.replica.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.is_probe {
            // A cancelled probe says nothing: the next call that may probes again.
            self.replica.failures.lock().is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(name: &str) -> Uri {
        format!("http://{name}:1").parse().unwrap()
    }

    fn balancer(names: &[&str]) -> (watch::Sender<Arc<[Uri]>>, Balancer) {
        let list: Arc<[Uri]> = names.iter().map(|name| uri(name)).collect();
        let (sender, receiver) = watch::channel(list);
        (sender, Balancer::new(Resolver::new(receiver), Transport::plain()))
    }

    fn host(guard: &InFlightGuard) -> &str {
        guard.replica.uri.host().unwrap()
    }

    /// The hosts of `calls` concurrent calls, sorted.
    async fn spread(balancer: &Balancer, calls: usize) -> String {
        let mut guards = Vec::new();
        for _ in 0..calls {
            guards.push(balancer.pick(None, false).await);
        }
        let mut hosts: Vec<&str> = guards.iter().map(host).collect();
        hosts.sort_unstable();
        hosts.concat()
    }

    fn replica(balancer: &Balancer, name: &str) -> Arc<Replica> {
        let endpoints = balancer.endpoints.lock();
        let mut replicas = endpoints.replicas.iter();
        let replica = replicas.find(|replica| replica.uri.host() == Some(name));
        Arc::clone(replica.unwrap())
    }

    /// Records a failed call to this replica, which is no probe.
    fn fail(balancer: &Balancer, name: &str) {
        let guard = replica(balancer, name).acquire();
        guard.record_failure(&TransportError::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn the_replica_with_the_fewest_calls_gets_the_next() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let mut guards = Vec::new();
        for _ in 0..9 {
            guards.push(balancer.pick(None, false).await);
        }
        for name in ["a", "b", "c"] {
            assert_eq!(guards.iter().filter(|guard| host(guard) == name).count(), 3);
        }
        guards.retain(|guard| host(guard) != "b");
        assert_eq!(host(&balancer.pick(None, false).await), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_fails_gets_a_probe_after_a_second_and_calls_after_a_success() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        let call_failed = Arc::clone(&balancer.endpoints.lock().call_failed);
        call_failed.notified().await;
        assert_eq!(spread(&balancer, 4).await, "bbbb");
        assert_eq!(host(&balancer.pick(None, true).await), "b");
        tokio::time::advance(AVOIDED).await;
        // A call that cannot be made again is no probe.
        assert_eq!(spread(&balancer, 4).await, "bbbb");
        let probe = balancer.pick(None, true).await;
        assert_eq!(host(&probe), "a");
        // There is one probe at a time.
        assert_eq!(host(&balancer.pick(None, true).await), "b");
        probe.replica.record_success();
        drop(probe);
        assert_eq!(spread(&balancer, 4).await, "aabb");
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_fails_its_probes_is_avoided_for_longer_each_time() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            // Another call that was in flight changes nothing.
            fail(&balancer, "a");
            tokio::time::advance(Duration::from_millis(seconds * 1_000 - 1)).await;
            assert_eq!(host(&balancer.pick(None, true).await), "b");
            tokio::time::advance(Duration::from_millis(1)).await;
            let probe = balancer.pick(None, true).await;
            assert_eq!(host(&probe), "a", "after {seconds} s");
            fail(&balancer, "a");
            probe.record_failure(&TransportError::TimedOut);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn another_probe_waits_for_the_end_of_the_first() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        tokio::time::advance(AVOIDED).await;
        let first = balancer.pick(None, true).await;
        assert_eq!(host(&first), "a");
        // Another call succeeds there, and the next one fails.
        first.replica.record_success();
        fail(&balancer, "a");
        tokio::time::advance(AVOIDED).await;
        assert_eq!(host(&balancer.pick(None, true).await), "b");
        drop(first);
        let second = balancer.pick(None, true).await;
        assert_eq!(host(&second), "a");
        assert_eq!(host(&balancer.pick(None, true).await), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_probe_does_not_count_as_a_failure() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        tokio::time::advance(AVOIDED).await;
        for _ in 0..3 {
            let probe = balancer.pick(None, true).await;
            assert_eq!(host(&probe), "a");
        }
        fail(&balancer, "a");
        tokio::time::advance(2 * AVOIDED).await;
        assert_eq!(host(&balancer.pick(None, true).await), "a");
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_replicas_fail_all_get_calls() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        assert!(balancer.has_healthy_other(&replica(&balancer, "a")));
        assert!(!balancer.has_healthy_other(&replica(&balancer, "b")));
        fail(&balancer, "b");
        assert!(!balancer.has_healthy_other(&replica(&balancer, "a")));
        assert_eq!(spread(&balancer, 4).await, "aabb");
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_goes_elsewhere_unless_there_is_no_other_replica() {
        let (sender, balancer) = balancer(&["a", "b"]);
        for _ in 0..4 {
            let first = balancer.pick(None, false).await;
            let second = balancer.pick(Some(&first.replica), false).await;
            assert_ne!(host(&first), host(&second));
        }
        sender.send(Arc::from([uri("a")])).unwrap();
        let first = balancer.pick(None, false).await;
        let second = balancer.pick(Some(&first.replica), false).await;
        assert_eq!(host(&second), "a");
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_come_and_go() {
        let (sender, balancer) = balancer(&[]);
        let waiting = balancer.pick(None, false);
        sender.send(Arc::from([uri("a")])).unwrap();
        let in_flight = waiting.await;
        assert_eq!(host(&in_flight), "a");
        sender.send(Arc::from([uri("b")])).unwrap();
        assert_eq!(spread(&balancer, 3).await, "bbb");
        assert_eq!(in_flight.replica.in_flight.load(Ordering::Relaxed), 1);
    }
}
