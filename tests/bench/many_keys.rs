//! Many live keys, which staff calls would take too long to create.

use e2e::Fleet;
use futures::stream::{self, StreamExt as _};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

/// How many first calls are made concurrently.
const AT_ONCE: usize = 32;
/// First calls are made in parts, and each part that has ended is printed.
const PART: usize = 20_000;

pub(crate) struct Key {
    pub(crate) id: Uuid,
    pub(crate) secret: String,
}

/// Inserts keys of so many new accounts on a plan, which take turns, into the database.
#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
pub(crate) async fn insert(fleet: &Fleet, plan: &str, accounts: usize, keys: usize) -> Vec<Key> {
    let insert = "with inserted as (
             insert into gateway.account (id, name, plan, created_at, revision)
             select id, 'Test ' || id, $1, now(), 1 from unnest($2::uuid[]) as made (id)
         )
         insert into gateway.key
             (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, revision)
         select id, account, id, hash, 'server', 'live', 'account', false, 'last', now(), 1
         from unnest($3::uuid[], $4::uuid[], $5::bytea[]) as made (id, account, hash)";
    let accounts: Vec<Uuid> = (0..accounts).map(|_| Uuid::new_v4()).collect();
    let keys: Vec<Key> =
        (0..keys).map(|_| Key { id: Uuid::new_v4(), secret: e2e::guess() }).collect();
    let hashes = keys.iter().map(|key| Sha256::digest(&key.secret).to_vec());
    let insert = sqlx::query(insert)
        .bind(plan)
        .bind(&accounts)
        .bind(keys.iter().map(|key| key.id).collect::<Vec<_>>())
        .bind(accounts.iter().cycle().take(keys.len()).collect::<Vec<_>>())
        .bind(hashes.collect::<Vec<_>>());
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    insert.execute(&mut connection).await.unwrap();
    keys
}

/// Makes a call with each key, so that the gateway has it in its cache.
pub(crate) async fn call_with_each(fleet: &Fleet, keys: &[Key]) {
    let (client, url) = (reqwest::Client::new(), format!("{}/games?limit=1", fleet.base_url));
    let call = async |key: &Key| {
        let answer = client.get(&url).bearer_auth(&key.secret).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.bytes().await.unwrap();
    };
    let started = Instant::now();
    for part in keys.chunks(PART) {
        stream::iter(part).for_each_concurrent(AT_ONCE, call).await;
        println!("{} more keys have called, {:.0} s", part.len(), started.elapsed().as_secs_f64());
    }
}
