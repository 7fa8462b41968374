//! The invariants of a fleet under load, whatever fails. A fleet is loaded before, during and after a fault, and then compared with what it
//! acknowledged.
//!
//! 1. Every acknowledged import, key, vote and change is there, and the catalogue has exactly the games of listings-svc.
//! 2. A report that is sent repeatedly counts once.
//! 3. Each change of a game by staff was announced in one message. The message may have arrived several times, with the same id (§6).
//! 4. The month has counted no more calls than were answered.

use std::collections::BTreeSet;
use std::time::Duration;

use e2e::{Fleet, Load, Receiver, Traffic, eventually_within};
use tokio::time::Instant;

/// Timeout of a wait. After a fault, the fleet may wait half a minute before it tries again.
const GIVE_UP: Duration = Duration::from_mins(5);
/// The numbers of games, keys, reads, votes, changes and answers to a report that must complete before the fault, and again after it.
const ENOUGH: [usize; 6] = [25, 5, 5, 5, 5, 2];
pub(crate) const TWO_OF_EACH: &str =
    "gateway=2,web=2,catalogue-svc=2,listings-svc=2,economy-svc=2,webhook-svc=2";
/// The number of calls before the fault, and again after it.
const CALLS: usize = 200;
/// How many deliveries to one endpoint may be in flight or not recorded yet. After a fault, each of them may be repeated.
const IN_FLIGHT: usize = 2 * 64;

pub(crate) struct Model {
    fleet: Fleet,
    traffic: Traffic,
    pub(crate) load: Load,
    receiver: Receiver,
}

#[derive(Debug)]
pub(crate) struct Cost {
    /// The longest time without an acknowledged write.
    pub(crate) writes: Duration,
    /// The longest time without an answered read.
    pub(crate) reads: Duration,
    /// How many messages were repeated, with the same id.
    pub(crate) repeats: usize,
    /// How many answered calls the month has not counted.
    pub(crate) uncounted: usize,
}

impl Model {
    /// Loads every gateway of `fleet` with calls. The writes go to the first process of each service in `written`.
    pub(crate) async fn new(fleet: &Fleet, written: &Fleet, receiver: Receiver) -> Self {
        receiver.subscribe(fleet, &["listing.updated"]).await;
        Self {
            fleet: fleet.clone(),
            traffic: Traffic::new(written).await,
            load: Load::new(fleet).await,
            receiver,
        }
    }

    /// Runs `fault` under load, waits until the fleet works again, compares, and prints a row of the table in `tests/README.md`.
    #[expect(clippy::print_stdout, reason = "what a fault has cost is to be seen")]
    pub(crate) async fn through(&self, what: &str, fault: impl AsyncFn()) -> Cost {
        let repeats = self.receiver.repeats();
        let uncounted = self.uncounted().await;
        let work = async {
            self.enough(&format!("work before {what}")).await;
            let began = Instant::now();
            fault().await;
            self.enough(&format!("work after {what}")).await;
            self.traffic.stop();
            self.load.stop();
            began
        };
        let (began, (), ()) = tokio::join!(work, self.traffic.flow(), self.load.flow());
        self.traffic.agreed_games(&self.fleet, what).await;
        self.traffic.assert_keys_work(&self.fleet, what).await;
        self.traffic.public.assert_kept(&self.fleet, what).await;
        self.each_message_arrived(what).await;
        let cost = Cost {
            writes: self.traffic.longest_pause(began),
            reads: self.load.longest_pause(began),
            repeats: self.receiver.repeats() - repeats,
            uncounted: self.uncounted().await.saturating_sub(uncounted),
        };
        println!(
            "| {what} | {:.1} s | {:.1} s | {} | {} |",
            cost.writes.as_secs_f64(),
            cost.reads.as_secs_f64(),
            cost.repeats,
            cost.uncounted,
        );
        assert!(cost.repeats <= IN_FLIGHT, "{what}: {cost:?}");
        cost
    }

    async fn enough(&self, what: &str) {
        self.traffic.goes_on(what, ENOUGH).await;
        self.load.answers(CALLS).await;
    }

    /// A change without an acknowledgement may have been made. Then it has a message, too.
    async fn each_message_arrived(&self, what: &str) {
        let sent = self.traffic.seen().sent;
        let arrived = format!("{what}: each changed game was announced in one message");
        eventually_within(GIVE_UP, &arrived, async || {
            let held = self.traffic.games().await?;
            let announced: BTreeSet<String> = self.receiver.slugs().into_iter().collect();
            let mut changed = sent.iter().filter(|slug| {
                let game = held.get(*slug);
                game.is_some_and(|game| game["tagline"] == Traffic::CHANGED)
            });
            changed.all(|slug| announced.contains(slug)).then_some(())
        })
        .await;
        // The studio changes one of its own games repeatedly, so leave that one out.
        let mut announced = self.receiver.slugs();
        announced.retain(|slug| sent.contains(slug));
        let once: BTreeSet<&String> = announced.iter().collect();
        assert_eq!(announced.len(), once.len(), "{what}: a game has two messages");
    }

    /// How many answered calls the month has not counted.
    async fn uncounted(&self) -> usize {
        let used = eventually_within(GIVE_UP, "the month's use can be read", async || {
            self.load.month_used().await
        })
        .await;
        let answered = self.load.answered();
        assert!(used <= answered, "{used} of {answered} calls are counted");
        answered.saturating_sub(used)
    }
}
