//! Figures: memory with a hundred thousand keys in use, and what a guess costs beside a call.

use std::fs;

use e2e::{Client, Fleet, SmallFleet, Staff, eventually, guess};
use futures::stream::{self, StreamExt as _};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Method;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

const KEYS: usize = 100_000;
const CALLS: u32 = 20_000;
/// Calls under way at once.
const AT_ONCE: usize = 32;

/// Puts keys of one account into the database, and has the gateway started anew, which learns of them then.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
async fn make(small: &SmallFleet, fleet: &Fleet, secrets: &[String]) {
    let account = Staff::of(fleet).await.account("unlimited").await;
    let hashes: Vec<Vec<u8>> = secrets
        .iter()
        .map(|secret| Sha256::digest(secret).to_vec())
        .collect();
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let insert = "insert into gateway.key
             (id, account_id, hash, name, mode, kind, may_write, last4, created_at, revision)
         select gen_random_uuid(), $1::uuid, hash, 'server', 'live', 'account', false, 'last', now(), 1
         from unnest($2::bytea[]) as hash";
    sqlx::query(insert)
        .bind(uuid::Uuid::parse_str(&account.account.id).unwrap())
        .bind(hashes)
        .execute(&mut connection)
        .await
        .unwrap();
    let before = fleet.pids()["gateway"];
    kill(Pid::from_raw(before), Signal::SIGTERM).unwrap();
    eventually("the gateway is started again", async || {
        let pid = *small.fleet().pids().get("gateway")?;
        let is_there = reqwest::get(format!("{}/me", fleet.base_url)).await.is_ok();
        (pid != before && is_there).then_some(())
    })
    .await;
}

/// Sends a call with each key.
async fn call(client: &Client, keys: impl Iterator<Item = String>, expected: &[u16]) {
    let call = async |key: String| {
        let request = client.request(Method::GET, "/games?limit=1");
        let answer = client.send(request.bearer_auth(key)).await;
        assert!(
            expected.contains(&answer.status.as_u16()),
            "{}",
            answer.text
        );
    };
    stream::iter(keys).for_each_concurrent(AT_ONCE, call).await;
}

/// Memory of a process, in KiB.
fn resident(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap().trim_end_matches("kB").trim().parse().unwrap()
}

/// CPU time of a process, user and system, in ticks of 10 ms.
fn ticks(pid: i32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
}

#[tokio::test]
#[ignore = "takes minutes; tests/README.md has its command and what came of it"]
async fn a_hundred_thousand_keys_in_use_and_a_guesser() {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let client = Client::anonymous(&fleet);
    let secrets: Vec<String> = (0..KEYS).map(|_| guess()).collect();
    make(&small, &fleet, &secrets).await;
    let fleet = small.fleet();
    let pids = fleet.pids();
    let gateway = pids["gateway"];
    let before = resident(gateway);
    call(&client, secrets.iter().cloned(), &[200]).await;
    let after = resident(gateway);
    println!(
        "{KEYS} keys in use: {after} KiB, {} more than before",
        after - before
    );

    let calls = usize::try_from(CALLS).unwrap();
    let cost = async |what: &str, keys: &mut dyn Iterator<Item = String>, expected: &[u16]| {
        let parts = ["gateway", "catalogue-svc", "redis"];
        let before = parts.map(|part| ticks(pids[part]));
        call(&client, keys, expected).await;
        for (part, before) in parts.iter().zip(before) {
            let each = (ticks(pids[*part]) - before) * 10_000.0 / f64::from(CALLS);
            println!("{what}, {part}: {each:.1} µs");
        }
    };
    let mut one = std::iter::repeat_n(secrets[0].clone(), calls);
    cost("a call", &mut one, &[200]).await;
    let mut guesses = std::iter::repeat_with(guess).take(calls);
    cost("a guess", &mut guesses, &[401, 429]).await;
    assert!(after < 150 * 1024, "the gateway takes {after} KiB");
}
