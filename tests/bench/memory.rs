//! The memory of the gateway with keys that have called.

use e2e::{Client, Fleet, Process, SmallFleet, Staff, eventually, guess};
use futures::stream::{self, StreamExt as _};
use reqwest::Method;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::results::{Measure, Report};

const KEYS: u32 = 100_000;
/// How many calls are made concurrently.
const AT_ONCE: usize = 32;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
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
}

/// Inserts live keys of one account into the database, because creating them by staff calls would take too long. Restarts the gateway, which loads
/// the keys. Returns the fleet with the new gateway.
#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
async fn put_keys(small: &SmallFleet, secrets: &[String]) -> Fleet {
    let fleet = small.fleet();
    let account = Staff::new(&fleet).await.account("unlimited").await;
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

fn mib(kib: u32) -> f64 {
    f64::from(kib) / 1024.0
}
