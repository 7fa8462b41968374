//! Kills each process with SIGKILL while staff and the public write and a client reads. After the launcher has restarted the process:
//!
//! 1. every acknowledged write is there;
//! 2. no other process has restarted;
//! 3. reads and writes work again;
//! 4. the use of the month is at least what a response has shown;
//! 5. the catalogue shows what it showed before and what was written since, and nothing that listings-svc does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use e2e::{Fleet, SmallFleet, Traffic, eventually_within, long_form};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use serde_json::Value;
use tokio::time::Instant;

const PARTS: [&str; 7] =
    ["gateway", "catalogue-svc", "listings-svc", "economy-svc", "webhook-svc", "redis", "postgres"];

/// Timeout of a wait. The launcher waits up to half a minute before it restarts a process that dies repeatedly.
const GIVE_UP: Duration = Duration::from_mins(5);
/// How much of each kind of work must complete before the kill, and again after it.
const ENOUGH: [usize; 6] = [10, 2, 2, 2, 2, 2];

/// Kills the service that writes, and its server. Takes most of a minute: a fleet starts, and the launcher waits before it restarts a process.
#[tokio::test]
async fn killing_a_process_loses_nothing() {
    let (small, traffic) = bring_up().await;
    for part in ["listings-svc", "postgres"] {
        kill_one(part, &small, &traffic).await;
    }
}

/// Kills each process `KILL_CYCLES` times, in random order with the seed `KILL_SEED`.
#[tokio::test]
#[ignore = "long: waits for the back-off of the launcher after each kill"]
async fn killing_processes_in_random_order_loses_nothing() {
    let cycles: u64 = long_form("KILL_CYCLES", 1);
    let seed: u64 = long_form("KILL_SEED", 1);
    let mut order = StdRng::seed_from_u64(seed);
    let (small, traffic) = bring_up().await;
    for cycle in 1..=cycles {
        let mut parts = PARTS;
        parts.shuffle(&mut order);
        for part in parts {
            let start = Instant::now();
            kill_one(part, &small, &traffic).await;
            println!("cycle {cycle}: {part}, {:.1} s", start.elapsed().as_secs_f64());
        }
    }
    let [games, keys, reads, votes, changes, _] = traffic.progress();
    println!(
        "{games} games, {keys} keys, {reads} reads, {votes} votes and {changes} changes, none lost"
    );
}

async fn bring_up() -> (SmallFleet, Traffic) {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let traffic = Traffic::new(&fleet).await;
    (small, traffic)
}

async fn kill_one(part: &str, small: &SmallFleet, traffic: &Traffic) {
    let fleet = small.fleet();
    let pids = fleet.pids();
    let missing: Vec<&str> = PARTS.into_iter().filter(|part| !pids.contains_key(*part)).collect();
    assert!(missing.is_empty(), "no number of {missing:?}");
    let what = format!("the catalogue's pages agree before {part} is killed");
    let before = eventually_within(GIVE_UP, &what, async || traffic.games().await).await;

    let work = async {
        traffic.goes_on(&format!("work before {part} is killed"), ENOUGH).await;
        kill(Pid::from_raw(pids[part]), Signal::SIGKILL).unwrap();
        eventually_within(GIVE_UP, &format!("{part} is started again"), async || {
            let pid = small.fleet().pids().get(part).copied()?;
            (pid != pids[part]).then_some(())
        })
        .await;
        traffic.goes_on(&format!("work after {part} was killed"), ENOUGH).await;
        traffic.stop();
    };
    tokio::join!(work, traffic.flow());

    let fleet = small.fleet();
    let mut others = (pids, fleet.pids());
    others.0.remove(part);
    others.1.remove(part);
    assert_eq!(others.0, others.1, "{part} killed: the other processes before and after");
    the_month_is_kept(part, traffic).await;
    contents_agree(part, &before, traffic, &fleet).await;
    let what = format!("{part} killed");
    traffic.assert_keys_work(&fleet, &what).await;
    traffic.public.assert_kept(&fleet, &what).await;
}

async fn contents_agree(
    part: &str,
    before: &BTreeMap<String, Value>,
    traffic: &Traffic,
    fleet: &Fleet,
) {
    let after = traffic.agreed_games(fleet, &format!("{part} killed")).await;
    // Leave out the game that the studio changes all the time.
    let others = before.iter().filter(|(slug, _)| **slug != traffic.public.game);
    for (slug, row) in others {
        assert_eq!(
            after.get(slug),
            Some(row),
            "{part} killed: {slug} in the catalogue, before and after"
        );
    }
    let seen = traffic.seen();
    let sent: BTreeSet<&String> = seen.sent.iter().collect();
    let strange: Vec<&String> =
        after.keys().filter(|slug| !before.contains_key(*slug) && !sent.contains(slug)).collect();
    assert!(strange.is_empty(), "{part} killed: nobody wrote {strange:?}");
}

async fn the_month_is_kept(part: &str, traffic: &Traffic) {
    let counted = traffic.seen().used;
    let client = &traffic.caller;
    // The use is null until the gateway has reconnected to Redis.
    let what = format!("{part} killed: the month's use can be read");
    let now = eventually_within(GIVE_UP, &what, async || {
        client.get("/me").await.data()["month"]["used"].as_u64()
    })
    .await;
    assert!(Some(now) >= counted, "{part} killed: the month's use was {counted:?} and is {now}");
}
