//! The growth of the gateway's memory with keys that have called and with idle connections.

use std::time::Duration;

use e2e::{Client, Fleet, Process, SmallFleet, Staff, eventually, guess, may_open};
use futures::stream::{self, StreamExt as _};
use reqwest::Method;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};

const KEYS: u32 = 100_000;
const CONNECTIONS: u32 = 10_000;
/// How many calls are made, or connections opened, concurrently.
const AT_ONCE: usize = 32;
/// File descriptors for everything else.
const RESERVED: u64 = 256;

pub(crate) async fn run(report: &mut Report) {
    may_open(u64::from(CONNECTIONS) + RESERVED);
    let mut small = SmallFleet::new();
    small.set("GATEWAY_HTTP_CONNECTIONS", "12000");
    small.set("GATEWAY_HTTP_IDLE", "3600");
    small.up().await;
    let secrets: Vec<String> = (0..KEYS).map(|_| guess()).collect();
    let fleet = put_keys(&small, &secrets).await;
    let gateway = Process::new("gateway", fleet.pids()["gateway"]);

    let fresh = gateway.memory();
    call_with_each(&fleet, &secrets).await;
    let with_keys = gateway.memory();
    let measure = Measure::new(format!(
        "resident memory of the gateway with {KEYS} keys that have called once, MiB"
    ));
    let details = format!("{:.1} MiB before the first call", mib(fresh));
    let figure = format!("{:.1}", mib(with_keys));
    report.figure(measure.required("150"), figure, &details);
    let resting = rest(&Target::get(&fleet, "/games", &secrets[0])).await;
    let open = connections(&fleet).await;
    assert!(open >= CONNECTIONS, "the gateway has {open} connections");
    let with_connections = settled(&gateway).await;
    let measure = Measure::new(format!(
        "memory that {CONNECTIONS} idle connections add to the gateway (needs `ulimit -Hn` of 12256), MB"
    ));
    let added = f64::from(with_connections.saturating_sub(with_keys)) * 1_024.0 / 1e6;
    let details = format!("{:.1} MiB in all", mib(with_connections));
    report.figure(measure.required("400"), format!("{added:.0}"), &details);
    drop(resting);
}

/// Inserts live keys of one account into the database, because creating them by staff calls would take too long. Restarts the gateway, which loads
/// the keys. Returns the fleet with the new gateway.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmarks have no schema of their own"
)]
async fn put_keys(small: &SmallFleet, secrets: &[String]) -> Fleet {
    let fleet = small.fleet();
    let account = Staff::of(&fleet).await.account("unlimited").await;
    let hashes = secrets.iter().map(|secret| Sha256::digest(secret).to_vec());
    let ids: Vec<Uuid> = secrets.iter().map(|_| Uuid::new_v4()).collect();
    let insert = "insert into gateway.key
             (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, revision)
         select id, $1::uuid, id, hash, 'server', 'live', 'account', false, 'last', now(), 1
         from unnest($2::uuid[], $3::bytea[]) as made (id, hash)";
    let insert = sqlx::query(insert)
        .bind(account.account.id.parse::<Uuid>().unwrap())
        .bind(ids)
        .bind(hashes.collect::<Vec<_>>());
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    insert.execute(&mut connection).await.unwrap();
    small.kill(fleet.pids()["gateway"]).await;
    eventually("the gateway answers", async || {
        reqwest::get(format!("{}/me", fleet.base_url)).await.ok()
    })
    .await;
    small.fleet()
}

async fn call_with_each(fleet: &Fleet, secrets: &[String]) {
    let client = Client::anonymous(fleet);
    let call = async |secret: &String| {
        let request = client.request(Method::GET, "/games?limit=1");
        let answer = client.send(request.bearer_auth(secret)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    let calls = stream::iter(secrets);
    calls.for_each_concurrent(AT_ONCE, call).await;
}

/// Opens connections. Each makes one call and then stays idle.
async fn rest(target: &Target) -> Vec<TcpStream> {
    let one = async |_| {
        let mut connection = Connection::open(target).await.unwrap();
        connection.send(target).await.unwrap();
        let answer = connection.answer().await.unwrap();
        assert_eq!((answer.status, answer.closes), (200, false));
        connection.into_stream()
    };
    let opening = stream::iter(0..CONNECTIONS).map(one);
    opening.buffer_unordered(AT_ONCE).collect().await
}

/// The memory of a process once it stops falling.
async fn settled(process: &Process) -> u32 {
    let mut lowest = process.memory();
    let mut looks = 0;
    while looks < 10 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        looks += 1;
        let memory = process.memory();
        if memory < lowest {
            (lowest, looks) = (memory, 0);
        }
    }
    lowest
}

async fn connections(fleet: &Fleet) -> u32 {
    let metrics = &fleet.service("gateway").metrics;
    let text = reqwest::get(metrics).await.unwrap().text().await.unwrap();
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix("http_connections ")?.parse().ok());
    found.unwrap_or(0)
}

fn mib(kib: u32) -> f64 {
    f64::from(kib) / 1024.0
}
