//! Load balancing: a call goes to the replica with the fewest calls in flight, among those that have not failed in the last second. When all
//! have, it goes to any of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Uri;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::addresses::Resolver;
use super::connection::{self, HttpClient};
use super::transport::Transport;
use super::transport_error::TransportError;
use crate::throttle::Throttle;

/// How long a replica gets no call after one has failed, if there is another.
const AVOIDED: Duration = Duration::from_secs(1);
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
    /// When a call last failed.
    failed_at: Mutex<Option<Instant>>,
    /// Raised then, so that the addresses are resolved again.
    call_failed: Arc<Notify>,
}

/// A call in flight; it counts for its replica until this is dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    pub(super) replica: Arc<Replica>,
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
        Self {
            endpoints: Mutex::new(endpoints),
        }
    }

    /// Picks a replica: not `except`, unless there is no other. Waits while no address is known.
    pub(super) async fn pick(&self, except: Option<&Replica>) -> InFlightGuard {
        loop {
            let picked = {
                let mut endpoints = self.endpoints.lock();
                // A fixed list has no sender and never changes.
                if endpoints.addresses.has_changed().unwrap_or(false) {
                    endpoints.update();
                }
                let picked = endpoints.pick(Instant::now(), except);
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

    fn pick(&mut self, now: Instant, except: Option<&Replica>) -> Option<InFlightGuard> {
        let count = self.replicas.len();
        if count == 0 {
            return None;
        }
        self.next = (self.next + 1) % count;
        let rotated = (0..count).map(|index| &self.replicas[(self.next + index) % count]);
        let picked = rotated.min_by_key(|replica| {
            let is_excepted = except.is_some_and(|it| std::ptr::eq(it, Arc::as_ptr(replica)));
            (
                is_excepted,
                replica.has_failed_lately(now),
                replica.in_flight.load(Ordering::Relaxed),
            )
        });
        picked.map(Replica::acquire)
    }
}

impl Replica {
    pub(super) fn new(uri: Uri, transport: &Transport, call_failed: &Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            uri,
            http: connection::client(transport),
            in_flight: AtomicUsize::new(0),
            failed_at: Mutex::new(None),
            call_failed: Arc::clone(call_failed),
        })
    }

    /// Counts a call.
    pub(super) fn acquire(self: &Arc<Self>) -> InFlightGuard {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlightGuard {
            replica: Arc::clone(self),
        }
    }

    /// Records a call that failed.
    pub(super) fn record_failure(&self, error: &TransportError) {
        *self.failed_at.lock() = Some(Instant::now());
        self.call_failed.notify_one();
        if WARNINGS.admits() {
            tracing::warn!(replica = %self.uri, ?error, "a call failed: other replicas get the calls of the next second");
        }
    }

    fn has_failed_lately(&self, now: Instant) -> bool {
        let failed_at = *self.failed_at.lock();
        failed_at.is_some_and(|at| now.saturating_duration_since(at) < AVOIDED)
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

    fn uri(name: &str) -> Uri {
        format!("http://{name}:1").parse().unwrap()
    }

    fn balancer(names: &[&str]) -> (watch::Sender<Arc<[Uri]>>, Balancer) {
        let list: Arc<[Uri]> = names.iter().map(|name| uri(name)).collect();
        let (sender, receiver) = watch::channel(list);
        (
            sender,
            Balancer::new(Resolver::new(receiver), Transport::plain()),
        )
    }

    fn host(guard: &InFlightGuard) -> &str {
        guard.replica.uri.host().unwrap()
    }

    /// The hosts of `calls` concurrent calls, sorted.
    async fn spread(balancer: &Balancer, calls: usize) -> String {
        let mut guards = Vec::new();
        for _ in 0..calls {
            guards.push(balancer.pick(None).await);
        }
        let mut hosts: Vec<&str> = guards.iter().map(host).collect();
        hosts.sort_unstable();
        hosts.concat()
    }

    /// Records a failed call to this replica.
    fn fail(balancer: &Balancer, name: &str) {
        let error = TransportError::TimedOut;
        let endpoints = balancer.endpoints.lock();
        let mut replicas = endpoints.replicas.iter();
        let replica = replicas.find(|replica| replica.uri.host() == Some(name));
        replica.unwrap().record_failure(&error);
    }

    #[tokio::test(start_paused = true)]
    async fn the_replica_with_the_fewest_calls_gets_the_next() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let mut guards = Vec::new();
        for _ in 0..9 {
            guards.push(balancer.pick(None).await);
        }
        for name in ["a", "b", "c"] {
            assert_eq!(guards.iter().filter(|guard| host(guard) == name).count(), 3);
        }
        guards.retain(|guard| host(guard) != "b");
        assert_eq!(host(&balancer.pick(None).await), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_fails_gets_no_call_for_a_second_if_there_is_another() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        fail(&balancer, "a");
        let call_failed = Arc::clone(&balancer.endpoints.lock().call_failed);
        call_failed.notified().await;
        assert_eq!(spread(&balancer, 4).await, "bbbb");
        tokio::time::advance(AVOIDED / 2).await;
        fail(&balancer, "b");
        // Now both replicas have failed.
        assert_eq!(spread(&balancer, 4).await, "aabb");
        tokio::time::advance(AVOIDED / 2).await;
        assert_eq!(spread(&balancer, 4).await, "aaaa");
        tokio::time::advance(AVOIDED / 2).await;
        assert_eq!(spread(&balancer, 4).await, "aabb");
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_goes_elsewhere_unless_there_is_no_other_replica() {
        let (sender, balancer) = balancer(&["a", "b"]);
        for _ in 0..4 {
            let first = balancer.pick(None).await;
            let second = balancer.pick(Some(&first.replica)).await;
            assert_ne!(host(&first), host(&second));
        }
        sender.send(Arc::from([uri("a")])).unwrap();
        let first = balancer.pick(None).await;
        let second = balancer.pick(Some(&first.replica)).await;
        assert_eq!(host(&second), "a");
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_come_and_go() {
        let (sender, balancer) = balancer(&[]);
        let waiting = balancer.pick(None);
        sender.send(Arc::from([uri("a")])).unwrap();
        let in_flight = waiting.await;
        assert_eq!(host(&in_flight), "a");
        sender.send(Arc::from([uri("b")])).unwrap();
        assert_eq!(spread(&balancer, 3).await, "bbb");
        assert_eq!(in_flight.replica.in_flight.load(Ordering::Relaxed), 1);
    }
}
