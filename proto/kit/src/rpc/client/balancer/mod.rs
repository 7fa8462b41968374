//! Least-request load balancing with outlier detection: a call goes to the replica with the fewest calls in flight whose circuit is
//! closed. When few circuits are closed, a call goes to any replica that can be reached: the few would be overloaded, and fail as well. Its
//! retry goes to one of the few, since the retry budget limits retries. A replica that no call reaches takes none of them from the few.

mod circuit;
mod replica;

use std::sync::Arc;

use http::Uri;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::addresses::Resolver;
use super::transport::Transport;
use circuit::CircuitState;
pub(super) use replica::{InFlightGuard, Replica};

/// The percentage of closed circuits below which circuits make no difference, which is the default panic threshold of Envoy.
const PANIC_THRESHOLD: usize = 50;

/// The replicas of a service, as one client sees them.
pub(super) struct Balancer {
    endpoints: Mutex<Endpoints>,
}

struct Endpoints {
    addresses: watch::Receiver<Arc<[Uri]>>,
    transport: Transport,
    replicas: Vec<Arc<Replica>>,
    /// Where the next search begins, so that replicas with equally many calls take turns.
    next: usize,
}

/// The conditions of a call for its replica.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pick<'a> {
    /// Whether the call may probe an ejected replica: it can be retried on another, or its caller makes it again.
    pub(super) may_probe: bool,
    /// Avoid this replica if there is another.
    pub(super) except: Option<&'a Replica>,
}

impl Balancer {
    pub(super) fn new(resolver: Resolver, transport: Transport) -> Self {
        let mut endpoints = Endpoints {
            addresses: resolver.0,
            transport,
            replicas: Vec::new(),
            next: 0,
        };
        endpoints.update();
        Self {
            endpoints: Mutex::new(endpoints),
        }
    }

    /// The number of replicas.
    pub(super) fn len(&self) -> usize {
        self.with(|endpoints| endpoints.replicas.len())
    }

    /// Whether the circuit of another replica than this one is closed.
    pub(super) fn has_healthy_other(&self, replica: &Replica) -> bool {
        let now = Instant::now();
        self.with(|endpoints| {
            endpoints.replicas.iter().any(|other| {
                !std::ptr::eq(replica, Arc::as_ptr(other))
                    && other.circuit.state(now) == CircuitState::Closed
            })
        })
    }

    /// Picks a replica. Waits while no address is known.
    pub(super) async fn pick(&self, pick: Pick<'_>) -> InFlightGuard {
        loop {
            let picked = self.with(|endpoints| {
                let picked = endpoints.pick(Instant::now(), pick);
                picked.ok_or_else(|| endpoints.addresses.clone())
            });
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

    fn with<T>(&self, work: impl FnOnce(&mut Endpoints) -> T) -> T {
        let mut endpoints = self.endpoints.lock();
        // A fixed list has no sender and never changes.
        if endpoints.addresses.has_changed().unwrap_or(false) {
            endpoints.update();
        }
        work(&mut endpoints)
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
                    || Replica::new(uri.clone(), &self.transport),
                    |index| former.swap_remove(index),
                )
            })
            .collect();
    }

    /// Whether too few of the reachable replicas have a closed circuit, or no replica is reachable.
    fn is_panic(&self, now: Instant) -> bool {
        let circuits = self.replicas.iter().map(|it| &it.circuit);
        let reachable = circuits.filter(|circuit| circuit.is_reachable(now));
        let (count, closed) = reachable.fold((0, 0), |(count, closed), circuit| {
            let is_closed = circuit.state(now) == CircuitState::Closed;
            (count + 1, closed + usize::from(is_closed))
        });
        count == 0 || closed * 100 < count * PANIC_THRESHOLD
    }

    fn pick(&mut self, now: Instant, pick: Pick<'_>) -> Option<InFlightGuard> {
        let count = self.replicas.len();
        if count == 0 {
            return None;
        }
        self.next = (self.next + 1) % count;
        // A replica that refuses its calls has the fewest in flight, and would get the retry as well.
        let is_panic = pick.except.is_none() && self.is_panic(now);
        let rotated = |index: usize| &self.replicas[(self.next + index) % count];
        let is_allowed = |replica: &&Arc<Replica>| {
            let except = pick.except;
            count == 1 || except.is_none_or(|except| !std::ptr::eq(except, Arc::as_ptr(replica)))
        };
        let picked = (0..count)
            .map(rotated)
            .filter(is_allowed)
            .min_by_key(|replica| match replica.circuit.state(now) {
                _ if is_panic && replica.circuit.is_reachable(now) => (0, replica.in_flight(), now),
                CircuitState::HalfOpen if pick.may_probe => (0, 0, now),
                CircuitState::Closed => (1, replica.in_flight(), now),
                // None can be reached, or a probe must find out.
                _ if is_panic => (1, replica.in_flight(), now),
                // A retry avoids the only closed one: the one whose ejection ends first.
                CircuitState::HalfOpen => (2, 0, now),
                CircuitState::Open(until) => (3, 0, until),
            });
        picked.map(|replica| replica.acquire_as(replica.circuit.state(now)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::transport_error::TransportError;
    use super::*;

    const PROBE: Pick<'_> = Pick {
        may_probe: true,
        except: None,
    };
    const NO_PROBE: Pick<'_> = Pick {
        may_probe: false,
        except: None,
    };

    fn uri(name: &str) -> Uri {
        format!("http://{name}:1").parse().unwrap()
    }

    fn balancer(names: &[&str]) -> (watch::Sender<Arc<[Uri]>>, Balancer) {
        let list: Arc<[Uri]> = names.iter().map(|name| uri(name)).collect();
        let (sender, receiver) = watch::channel(list);
        (
            sender,
            Balancer::new(Resolver(receiver), Transport::plain()),
        )
    }

    fn host(guard: &InFlightGuard) -> String {
        guard.replica.uri.host().unwrap().to_owned()
    }

    /// Picks a replica as of `now`.
    fn pick_at(balancer: &Balancer, now: Instant, pick: Pick<'_>) -> InFlightGuard {
        balancer
            .with(|endpoints| endpoints.pick(now, pick))
            .unwrap()
    }

    /// Fails calls of `name` until it is ejected.
    async fn eject(balancer: &Balancer, name: &str) {
        eject_by(balancer, name, &TransportError::TimedOut).await;
    }

    async fn eject_by(balancer: &Balancer, name: &str, error: &TransportError) {
        loop {
            let guard = balancer.pick(NO_PROBE).await;
            if host(&guard) == name {
                guard.record_failure(error);
            }
            // Not only when it is open: the machine may pause for longer than the ejection lasts.
            if guard.replica.circuit.state(Instant::now()) != CircuitState::Closed {
                return;
            }
        }
    }

    #[tokio::test]
    async fn the_replica_with_the_fewest_calls_gets_the_next() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let mut guards = Vec::new();
        for _ in 0..9 {
            guards.push(balancer.pick(PROBE).await);
        }
        for name in ["a", "b", "c"] {
            assert_eq!(guards.iter().filter(|guard| host(guard) == name).count(), 3);
        }
        guards.retain(|guard| host(guard) != "b");
        assert_eq!(host(&balancer.pick(PROBE).await), "b");
    }

    #[tokio::test]
    async fn a_retry_goes_elsewhere_unless_there_is_no_other_replica() {
        let (sender, balancer) = balancer(&["a", "b"]);
        let elsewhere = async |first: &InFlightGuard| {
            let except = Some(&*first.replica);
            balancer.pick(Pick { except, ..PROBE }).await
        };
        for _ in 0..4 {
            let first = balancer.pick(PROBE).await;
            assert_ne!(host(&first), host(&elsewhere(&first).await));
        }
        sender.send(Arc::from([uri("a")])).unwrap();
        let first = balancer.pick(PROBE).await;
        assert_eq!(host(&elsewhere(&first).await), "a");
    }

    #[tokio::test]
    async fn an_ejected_replica_gets_no_call_but_its_probe() {
        let (_sender, balancer) = balancer(&["a", "b"]);
        eject(&balancer, "a").await;
        for _ in 0..4 {
            assert_eq!(host(&balancer.pick(PROBE).await), "b");
        }
        let later = Instant::now() + Duration::from_secs(1);
        // A call that must not be retried is not a probe.
        assert_eq!(host(&pick_at(&balancer, later, NO_PROBE)), "b");
        let probe = pick_at(&balancer, later, PROBE);
        assert_eq!(host(&probe), "a");
        assert_eq!(host(&pick_at(&balancer, later, PROBE)), "b");
        probe.record_success();
        drop(probe);
        let both = [(); 2].map(|()| host(&pick_at(&balancer, later, NO_PROBE)));
        assert_ne!(both[0], both[1]);
    }

    #[tokio::test]
    async fn when_all_are_ejected_calls_still_go_somewhere() {
        let (_sender, balancer) = balancer(&["a"]);
        eject(&balancer, "a").await;
        assert_eq!(host(&balancer.pick(NO_PROBE).await), "a");
    }

    /// The hosts that get further calls, in alphabetical order. All calls are in flight at once.
    fn spread(balancer: &Balancer, calls: usize) -> String {
        let now = Instant::now();
        let guards: Vec<_> = (0..calls)
            .map(|_| pick_at(balancer, now, NO_PROBE))
            .collect();
        let mut hosts: Vec<String> = guards.iter().map(host).collect();
        hosts.sort();
        hosts.concat()
    }

    #[tokio::test]
    async fn all_replicas_share_the_calls_when_fewer_than_half_of_the_circuits_are_closed() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        eject(&balancer, "a").await;
        assert_eq!(spread(&balancer, 6), "bbbccc");
        eject(&balancer, "b").await;
        assert_eq!(spread(&balancer, 6), "aabbcc");
        let in_flight = call_to(&balancer, "c").await;
        assert_eq!(spread(&balancer, 2), "ab");
        drop(in_flight);
        // A retry still goes to another replica, and to the closed one if that has not failed.
        for _ in 0..3 {
            let first = balancer.pick(NO_PROBE).await;
            let except = Some(&*first.replica);
            let second = balancer.pick(Pick { except, ..NO_PROBE }).await;
            let hosts = [host(&first), host(&second)];
            assert_ne!(hosts[0], hosts[1]);
            assert!(hosts.contains(&"c".to_owned()), "{hosts:?}");
        }
        // One that answers again ends it.
        call_to(&balancer, "a").await.record_success();
        assert_eq!(spread(&balancer, 4), "aacc");
    }

    #[tokio::test]
    async fn replicas_that_cannot_be_reached_get_no_calls_however_few_others_there_are() {
        let (_sender, balancer) = balancer(&["a", "b", "c", "d"]);
        let refused = TransportError::NotSent("connection refused".into());
        for name in ["a", "b", "c"] {
            eject_by(&balancer, name, &refused).await;
            assert!(!spread(&balancer, 8).contains(name), "{name}");
        }
        assert_eq!(spread(&balancer, 4), "dddd");
        // A probe finds out when one is there again.
        let later = Instant::now() + Duration::from_secs(1);
        let probe = pick_at(&balancer, later, PROBE);
        let found = host(&probe);
        assert_ne!(found, "d");
        probe.record_success();
        drop(probe);
        assert_eq!(spread(&balancer, 4), format!("{found}{found}dd"));
    }

    #[tokio::test]
    async fn of_ejected_replicas_those_that_can_be_reached_share_the_calls() {
        let (_sender, balancer) = balancer(&["a", "b", "c"]);
        let refused = TransportError::NotSent("connection refused".into());
        eject_by(&balancer, "a", &refused).await;
        eject(&balancer, "b").await;
        assert_eq!(spread(&balancer, 2), "cc");
        eject(&balancer, "c").await;
        assert_eq!(spread(&balancer, 4), "bbcc");
        // When none can be reached, all are tried.
        for name in ["b", "c"] {
            call_to(&balancer, name).await.record_failure(&refused);
        }
        assert_eq!(spread(&balancer, 6), "aabbcc");
    }

    /// A call in flight to this replica.
    async fn call_to(balancer: &Balancer, name: &str) -> InFlightGuard {
        loop {
            let guard = balancer.pick(NO_PROBE).await;
            if host(&guard) == name {
                return guard;
            }
        }
    }

    #[tokio::test]
    async fn half_of_the_circuits_are_enough() {
        let (_sender, balancer) = balancer(&["a", "b", "c", "d"]);
        eject(&balancer, "a").await;
        eject(&balancer, "b").await;
        assert_eq!(spread(&balancer, 4), "ccdd");
        eject(&balancer, "c").await;
        assert_eq!(spread(&balancer, 4), "abcd");
    }

    #[tokio::test]
    async fn replicas_come_and_go() {
        let (sender, balancer) = balancer(&[]);
        let waiting = balancer.pick(PROBE);
        sender.send(Arc::from([uri("a")])).unwrap();
        let in_flight = waiting.await;
        assert_eq!(host(&in_flight), "a");
        sender.send(Arc::from([uri("b")])).unwrap();
        for _ in 0..3 {
            assert_eq!(host(&balancer.pick(PROBE).await), "b");
        }
        assert_eq!(in_flight.replica.in_flight(), 1);
    }
}
