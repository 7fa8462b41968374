//! So many keys that making each by a call of staff's would take too long.

use futures::stream::{self, StreamExt as _};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Method;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

use crate::{Client, Fleet, SmallFleet, Staff, eventually};

/// Calls under way at once.
const AT_ONCE: usize = 32;

/// Puts live keys of one account on `unlimited` into the database, and has the gateway started anew, which learns of them then.
/// Returns the fleet with that gateway.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
pub async fn put_keys(small: &SmallFleet, secrets: &[String]) -> Fleet {
    let fleet = small.fleet();
    let account = Staff::of(&fleet).await.account("unlimited").await;
    let hashes: Vec<Vec<u8>> = secrets
        .iter()
        .map(|secret| Sha256::digest(secret).to_vec())
        .collect();
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let insert = "insert into gateway.key
             (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, revision)
         select id, $1::uuid, id, hash, 'server', 'live', 'account', false, 'last', now(), 1
         from unnest($2::uuid[], $3::bytea[]) as made (id, hash)";
    let ids: Vec<uuid::Uuid> = secrets.iter().map(|_| uuid::Uuid::new_v4()).collect();
    sqlx::query(insert)
        .bind(uuid::Uuid::parse_str(&account.account.id).unwrap())
        .bind(ids)
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
    small.fleet()
}

/// Sends a call with each of `keys`; each answer has one of the statuses in `expected`.
pub async fn call_with_each(client: &Client, keys: impl Iterator<Item = String>, expected: &[u16]) {
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
