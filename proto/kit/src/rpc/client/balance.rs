//! Which replica takes a call: of those that answer, the one that has the fewest.

use std::sync::{Arc, Mutex, PoisonError};

use http::Uri;
use tokio::sync::watch;
use tokio::time::Instant;

use super::addresses::Known;
use super::health::Use;
use super::replica::{Held, Replica};

/// The replicas of a service, as one client knows them.
pub(super) struct Replicas {
    set: Mutex<Set>,
}

struct Set {
    known: watch::Receiver<Arc<[Uri]>>,
    replicas: Vec<Arc<Replica>>,
    /// Where the next search begins, so that replicas with equally many calls take turns.
    turn: usize,
}

impl Replicas {
    pub(super) fn new(known: Known) -> Self {
        let mut set = Set {
            known: known.0,
            replicas: Vec::new(),
            turn: 0,
        };
        set.take_in();
        Self {
            set: Mutex::new(set),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.with(|set| set.replicas.len())
    }

    /// Chooses one, `but` another than this if there is any. `trial` says whether the call may be used to find out about a replica
    /// that was put aside. Waits for the first address to be known.
    pub(super) async fn choose(&self, trial: bool, but: Option<&Replica>) -> Held {
        loop {
            let chosen = self.with(|set| {
                let chosen = set.choose(Instant::now(), trial, but);
                chosen.ok_or_else(|| set.known.clone())
            });
            match chosen {
                Ok(held) => return held,
                // Whoever would tell of an address is gone with the process.
                Err(mut known) => {
                    if known.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
            }
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Set) -> T) -> T {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        // A list that never changes has nobody who would change it.
        if set.known.has_changed().unwrap_or(false) {
            set.take_in();
        }
        work(&mut set)
    }
}

impl Set {
    /// Takes in which addresses have come and gone. Calls that a replica still has end where they are.
    fn take_in(&mut self) {
        let addresses = Arc::clone(&self.known.borrow_and_update());
        let mut former = std::mem::take(&mut self.replicas);
        self.replicas = addresses
            .iter()
            .map(|uri| {
                let place = former.iter().position(|replica| replica.uri == *uri);
                place.map_or_else(
                    || Replica::new(uri.clone()),
                    |place| former.swap_remove(place),
                )
            })
            .collect();
    }

    fn choose(&mut self, now: Instant, trial: bool, but: Option<&Replica>) -> Option<Held> {
        let count = self.replicas.len();
        if count == 0 {
            return None;
        }
        self.turn = (self.turn + 1) % count;
        let in_turn = |place: usize| &self.replicas[(self.turn + place) % count];
        let others = |replica: &&Arc<Replica>| {
            count == 1 || but.is_none_or(|but| !std::ptr::eq(but, Arc::as_ptr(replica)))
        };
        let chosen = (0..count)
            .map(in_turn)
            .filter(others)
            .min_by_key(|replica| {
                let usable = replica.health.usable(now);
                match usable {
                    Use::Trial if trial => (0, 0, now),
                    Use::Calls => (1, replica.in_flight(), now),
                    // If no other is left, the one that was put aside for the shortest.
                    Use::Trial => (2, 0, now),
                    Use::Nothing(until) => (3, 0, until),
                }
            });
        chosen.map(|replica| replica.hold(replica.health.usable(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::client::lost::Lost;

    fn uri(name: &str) -> Uri {
        format!("http://{name}:1").parse().unwrap()
    }

    fn replicas(names: &[&str]) -> (watch::Sender<Arc<[Uri]>>, Replicas) {
        let list: Arc<[Uri]> = names.iter().map(|name| uri(name)).collect();
        let (sender, receiver) = watch::channel(list);
        (sender, Replicas::new(Known(receiver)))
    }

    fn host(held: &Held) -> String {
        held.replica.uri.host().unwrap().to_owned()
    }

    /// Loses calls of `name` until it is put aside.
    async fn put_aside(replicas: &Replicas, name: &str) {
        loop {
            let held = replicas.choose(false, None).await;
            if host(&held) == name {
                held.lost(&Lost::Late);
            }
            if matches!(held.replica.health.usable(Instant::now()), Use::Nothing(_)) {
                return;
            }
        }
    }

    #[tokio::test]
    async fn the_one_with_the_fewest_calls_takes_the_next() {
        let (_sender, replicas) = replicas(&["a", "b", "c"]);
        let mut held = Vec::new();
        for _ in 0..9 {
            held.push(replicas.choose(true, None).await);
        }
        for name in ["a", "b", "c"] {
            assert_eq!(held.iter().filter(|held| host(held) == name).count(), 3);
        }
        held.retain(|held| host(held) != "b");
        assert_eq!(host(&replicas.choose(true, None).await), "b");
    }

    #[tokio::test]
    async fn a_repetition_goes_elsewhere_unless_there_is_no_other() {
        let (sender, replicas) = replicas(&["a", "b"]);
        for _ in 0..4 {
            let first = replicas.choose(true, None).await;
            let second = replicas.choose(true, Some(&first.replica)).await;
            assert_ne!(host(&first), host(&second));
        }
        sender.send(Arc::from([uri("a")])).unwrap();
        let first = replicas.choose(true, None).await;
        assert_eq!(
            host(&replicas.choose(true, Some(&first.replica)).await),
            "a"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_put_aside_takes_no_call_until_its_trial() {
        let (_sender, replicas) = replicas(&["a", "b"]);
        put_aside(&replicas, "a").await;
        for _ in 0..4 {
            assert_eq!(host(&replicas.choose(true, None).await), "b");
        }
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        // A call that must not be made twice is no trial.
        assert_eq!(host(&replicas.choose(false, None).await), "b");
        let trial = replicas.choose(true, None).await;
        assert_eq!(host(&trial), "a");
        assert_eq!(host(&replicas.choose(true, None).await), "b");
        trial.answered();
        drop(trial);
        let both = [
            host(&replicas.choose(false, None).await),
            host(&replicas.choose(false, None).await),
        ];
        assert_ne!(both[0], both[1]);
    }

    #[tokio::test]
    async fn if_all_are_put_aside_calls_still_go_somewhere() {
        let (_sender, replicas) = replicas(&["a"]);
        put_aside(&replicas, "a").await;
        assert_eq!(host(&replicas.choose(false, None).await), "a");
    }

    #[tokio::test]
    async fn replicas_come_and_go() {
        let (sender, replicas) = replicas(&[]);
        let waiting = replicas.choose(true, None);
        sender.send(Arc::from([uri("a")])).unwrap();
        let under_way = waiting.await;
        assert_eq!(host(&under_way), "a");
        sender.send(Arc::from([uri("b")])).unwrap();
        for _ in 0..3 {
            assert_eq!(host(&replicas.choose(true, None).await), "b");
        }
        assert_eq!(under_way.replica.in_flight(), 1);
    }
}
