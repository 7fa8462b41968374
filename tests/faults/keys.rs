//! Each of two gateways refuses a key that was revoked or rotated.

use std::time::Duration;

use e2e::{Client, Fleet, KeyRequest, Paused, SmallFleet, Staff, eventually};
use nix::unistd::Pid;
use sqlx::{Connection as _, PgConnection};

/// A client with the key for each gateway.
fn everywhere(fleet: &Fleet, secret: &str) -> Vec<Client> {
    let gateways = fleet.by_gateway();
    assert_eq!(gateways.len(), 2);
    gateways
        .iter()
        .map(|gateway| Client::new(gateway, secret))
        .collect()
}

/// Whether each gateway answers the key. On a busy machine, a call may miss one of the usual deadlines; no gateway refuses the key.
async fn works_everywhere(clients: &[Client]) -> bool {
    for client in clients {
        let answer = client.get("/games?limit=1").await;
        match answer.status.as_u16() {
            200 => {}
            503 => return false,
            other => unreachable!("{other}: {}", answer.text),
        }
    }
    true
}

async fn assert_refused(clients: &[Client]) {
    for client in clients {
        let answer = client.get("/games?limit=1").await;
        answer.assert_error(401, "invalid_key");
    }
}

/// Waits until each gateway answers the key.
async fn until_works(clients: &[Client]) {
    eventually("every gateway answers the key", async || {
        works_everywhere(clients).await.then_some(())
    })
    .await;
}

/// Waits until each gateway refuses the key.
async fn until_refused(clients: &[Client]) {
    for client in clients {
        eventually("the gateway refuses the key", async || {
            let answer = client.get("/games?limit=1").await;
            (answer.status == 401).then_some(())
        })
        .await;
    }
}

/// Keeps every gateway from reading changes, notified or polled, while every gateway has the key in its cache.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
async fn blind(fleet: &Fleet, clients: &[Client]) -> PgConnection {
    // The change that created the key may still invalidate a gateway's cache entry. After the lock, such a gateway cannot look the key up
    // again.
    eventually("the key is in memory everywhere", async || {
        if !works_everywhere(clients).await {
            return None;
        }
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        sqlx::raw_sql("begin; lock table gateway.game in access exclusive mode")
            .execute(&mut connection)
            .await
            .unwrap();
        works_everywhere(clients).await.then_some(connection)
    })
    .await
}

pub(crate) async fn a_revoked_key_is_refused_at_every_gateway_from_the_next_call(fleet: &Fleet) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    let (key, secret) = staff.key(&account, KeyRequest::live()).await;
    let clients = everywhere(fleet, &secret);
    // No gateway reads changes, so the tombstone in Redis decides.
    let blinding = blind(fleet, &clients).await;
    staff.revoke(&key).await;
    assert_refused(&clients).await;
    blinding.close().await.unwrap();
}

#[tokio::test]
#[ignore = "long: two gateways without Redis, and with a moved clock"]
async fn keys_end_at_every_gateway_while_redis_does_not_respond_and_after_their_grace() {
    let mut small = SmallFleet::new();
    let fleet = small.up_with(&["--replicas", "gateway=2"]).await;
    a_key_is_revoked_while_redis_does_not_respond(&fleet).await;
    a_rotated_key_ends_on_time(&fleet).await;
}

async fn a_key_is_revoked_while_redis_does_not_respond(fleet: &Fleet) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    let (key, secret) = staff.key(&account, KeyRequest::live()).await;
    let clients = everywhere(fleet, &secret);
    until_works(&clients).await;
    let redis = Pid::from_raw(fleet.pids()["redis"]);
    let paused = Paused::process(redis);
    until_works(&clients).await;
    staff.revoke(&key).await;
    // The feed decides.
    until_refused(&clients).await;
    drop(paused);
    assert_refused(&clients).await;
}

async fn a_rotated_key_ends_on_time(fleet: &Fleet) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    let (key, old) = staff.key(&account, KeyRequest::live()).await;
    let old = everywhere(fleet, &old);
    until_works(&old).await;
    let new = everywhere(fleet, &staff.rotate(&key).await);
    until_works(&new).await;

    for client in &old {
        eventually("the gateway knows of the rotation", async || {
            let me = client.get("/me").await;
            me.data()["key"]["expires_at"].is_string().then_some(())
        })
        .await;
    }
    let day = Duration::from_hours(24).as_secs();
    let before = minutes(&old).await;
    std::fs::write(&fleet.clock_file, format!("+{}", day - 600)).unwrap();
    eventually("every clock has moved", async || {
        let moved = minutes(&old).await;
        let all = before.iter().zip(&moved).all(|(before, now)| before != now);
        all.then_some(())
    })
    .await;
    until_works(&old).await;
    std::fs::write(&fleet.clock_file, format!("+{day}")).unwrap();
    until_refused(&old).await;
    until_works(&new).await;
}

/// When the key's minute ends, as each gateway says.
async fn minutes(clients: &[Client]) -> Vec<String> {
    let mut minutes = Vec::new();
    for client in clients {
        let me = client.get("/me").await;
        minutes.push(me.data()["minute"]["resets_at"].to_string());
    }
    minutes
}
