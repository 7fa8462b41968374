//! Kills webhook-svc repeatedly with SIGKILL while it sends messages about published games: every message arrives, and a repeated message has the
//! same id.

mod frozen;
mod moves;
pub(crate) mod visibility;

use std::time::{Duration, Instant};

use e2e::{Receiver, SmallFleet, eventually, long_form};

/// The number of games per round. A replica is killed in each round.
const GAMES: usize = 400;
/// How many deliveries to one endpoint may be in flight or not recorded yet. After a kill, each of them may be repeated.
const IN_FLIGHT: usize = 2 * 64;

fn slug(round: usize, game: usize) -> String {
    format!("hook-{round:03}-{game:03}")
}

/// Publishes and announces the games of a round.
async fn publish(small: &SmallFleet, round: usize, games: usize) {
    let slugs: Vec<String> = (0..games).map(|game| slug(round, game)).collect();
    small.announce_games(&slugs).await;
}

fn pids(small: &SmallFleet) -> Vec<i32> {
    let fleet = small.fleet();
    let replicas = fleet.replicas("webhook-svc");
    replicas.filter_map(|replica| replica.pid).collect()
}

/// Kills `kills` replicas, asserts that every message arrives; returns a summary.
async fn every_message_arrives(replicas: &str, kills: usize) -> String {
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::patient();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let fleet = small.up_with(&["--replicas", replicas]).await;
    receiver.subscribe(&fleet, &["listing.updated"]).await;
    let mut slowest = Duration::ZERO;
    for round in 0..kills {
        let before = receiver.count();
        publish(&small, round, GAMES).await;
        eventually("some of the round arrived", async || (receiver.count() > before).then_some(()))
            .await;
        let replicas = pids(&small);
        small.kill(replicas[round % replicas.len()]).await;
        let restarted = Instant::now();
        eventually("every message of the round arrived", async || {
            (receiver.count() >= before + GAMES).then_some(())
        })
        .await;
        slowest = slowest.max(restarted.elapsed());
    }
    let expected: Vec<String> =
        (0..kills).flat_map(|round| (0..GAMES).map(move |game| slug(round, game))).collect();
    assert_eq!(receiver.slugs(), expected);
    let repeats = receiver.repeats();
    assert!(repeats <= kills * IN_FLIGHT, "{repeats} came again");
    let messages = expected.len();
    format!(
        "{messages} messages, {kills} kills, {repeats} came again; the last arrived {slowest:.1?} after the restart at most"
    )
}

/// The second of two replicas goes on, and the launcher restarts the first one. Takes most of a minute: a fleet starts, and the lease of the killed
/// replica must expire.
#[tokio::test]
async fn every_message_arrives_whichever_replica_is_killed() {
    let kills = long_form("WEBHOOK_KILLS", 2);
    println!("{}", every_message_arrives("webhook-svc=2", kills).await);
}
