//! Load balancing: a call goes to the replica with the fewest calls in flight, among those that are
//! not avoided. When all are avoided, calls go to any of them.

use std::sync::Arc;

use http::Uri;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::addresses::Resolver;
use super::replica::{InFlightGuard, Replica};
use super::transport::Transport;

/// The replicas of a service, as one client sees them.
pub(super) struct Balancer(Mutex<Replicas>);

struct Replicas {
    addresses: watch::Receiver<Arc<[Uri]>>,
    /// Shared with the resolver.
    call_failed: Arc<Notify>,
    transport: Transport,
    list: Vec<Arc<Replica>>,
    /// Where the next search begins, so that replicas with equally many calls take turns.
    next: usize,
}

impl Balancer {
    pub(super) fn new(resolver: Resolver, transport: Transport) -> Self {
        let mut replicas = Replicas {
            addresses: resolver.list,
            call_failed: resolver.call_failed,
            transport,
            list: Vec::new(),
            next: 0,
        };
        replicas.update();
        Self(Mutex::new(replicas))
    }

    /// Picks the replica for a call. Waits while no address is known.
    pub(super) async fn pick(&self) -> InFlightGuard {
        loop {
            let mut addresses = {
                let mut replicas = self.0.lock();
                // A fixed list has no sender and never changes.
                if replicas.addresses.has_changed().unwrap_or(false) {
                    replicas.update();
                }
                replicas.next = replicas.next.wrapping_add(1);
                if let Some(picked) = replicas.pick(|_| false) {
                    return picked;
                }
                replicas.addresses.clone()
            };
            // The sender lives as long as the process.
            if addresses.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Picks the replica for a retry: another one than `first`, if there is one.
    pub(super) fn pick_other(&self, first: &Arc<Replica>) -> InFlightGuard {
        let picked = self.0.lock().pick(|replica| Arc::ptr_eq(replica, first));
        picked.unwrap_or_else(|| first.acquire())
    }

    /// Whether there is another replica that is not avoided.
    pub(super) fn has_other(&self, first: &Arc<Replica>) -> bool {
        let replicas = self.0.lock();
        replicas.list.iter().any(|replica| !Arc::ptr_eq(replica, first) && !replica.is_avoided())
    }
}

impl Replicas {
    /// Adds and removes replicas after a change of addresses. Calls in flight to a removed replica finish.
    fn update(&mut self) {
        let addresses = Arc::clone(&self.addresses.borrow_and_update());
        let mut former = std::mem::take(&mut self.list);
        self.list = addresses
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

    /// Those that are the last choice get the call if there is no other replica.
    fn pick(&self, is_last_choice: impl Fn(&Arc<Replica>) -> bool) -> Option<InFlightGuard> {
        let (before, from_next) = self.list.split_at(self.next.checked_rem(self.list.len())?);
        let picked = from_next.iter().chain(before).min_by_key(|replica| {
            (is_last_choice(replica), replica.is_avoided(), replica.in_flight())
        });
        picked.map(Replica::acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdict::Verdict;
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
            guards.push(balancer.pick().await);
        }
        let mut hosts: Vec<&str> = guards.iter().map(host).collect();
        hosts.sort_unstable();
        hosts.concat()
    }

    fn replica(balancer: &Balancer, name: &str) -> Arc<Replica> {
        let replicas = balancer.0.lock();
        let mut list = replicas.list.iter();
        Arc::clone(list.find(|replica| replica.uri.host() == Some(name)).unwrap())
    }

    fn record(balancer: &Balancer, name: &str, verdict: Verdict) {
        replica(balancer, name).record(verdict, false);
    }

    #[tokio::test(start_paused = true)]
    async fn the_replica_with_the_fewest_calls_gets_the_next() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let mut guards = Vec::new();
        for _ in 0..9 {
            guards.push(balancer.pick().await);
        }
        for name in ["a", "b", "c"] {
            assert_eq!(guards.iter().filter(|guard| host(guard) == name).count(), 3);
        }
        guards.retain(|guard| host(guard) != "b");
        assert_eq!(host(&balancer.pick().await), "b");
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_without_calls_take_turns() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let mut hosts = String::new();
        for _ in 0..6 {
            let guard = balancer.pick().await;
            hosts += host(&guard);
            // A retry changes no turn.
            balancer.pick_other(&guard.replica);
        }
        assert_eq!(hosts, "bcabca");
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_is_avoided_once_it_is_down_or_after_five_failures_in_a_row() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        for _ in 0..4 {
            record(&balancer, "a", Verdict::Unavailable);
        }
        record(&balancer, "a", Verdict::Answered);
        for _ in 0..4 {
            record(&balancer, "a", Verdict::Unavailable);
            record(&balancer, "a", Verdict::Reset);
        }
        assert_eq!(spread(&balancer, 4).await, "aabb");
        assert!(balancer.has_other(&replica(&balancer, "b")));
        record(&balancer, "a", Verdict::Unavailable);
        assert_eq!(spread(&balancer, 4).await, "bbbb");
        assert!(!balancer.has_other(&replica(&balancer, "b")));
        // When all are avoided, all get calls. An answer alone ends nothing.
        record(&balancer, "b", Verdict::Lost);
        record(&balancer, "b", Verdict::Answered);
        assert_eq!(spread(&balancer, 4).await, "aabb");
        assert!(replica(&balancer, "b").is_avoided());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_asks_for_the_addresses() {
        let (_sender, balancer) = balancer(&["a"]);
        let call_failed = Arc::clone(&balancer.0.lock().call_failed);
        for verdict in [Verdict::Unavailable, Verdict::Lost] {
            record(&balancer, "a", verdict);
            call_failed.notified().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_goes_elsewhere_unless_there_is_no_other_replica() {
        let (sender, balancer) = balancer(&["a", "b"]);
        for _ in 0..4 {
            let first = balancer.pick().await;
            let second = balancer.pick_other(&first.replica);
            assert_ne!(host(&first), host(&second));
        }
        sender.send(Arc::from([uri("a")])).unwrap();
        let first = balancer.pick().await;
        assert_eq!(host(&balancer.pick_other(&first.replica)), "a");
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_come_and_go() {
        let (sender, balancer) = balancer(&[]);
        let waiting = balancer.pick();
        sender.send(Arc::from([uri("a")])).unwrap();
        let in_flight = waiting.await;
        assert_eq!(host(&in_flight), "a");
        sender.send(Arc::from([uri("b")])).unwrap();
        assert_eq!(spread(&balancer, 3).await, "bbb");
        assert_eq!(in_flight.replica.in_flight(), 1);
    }
}
