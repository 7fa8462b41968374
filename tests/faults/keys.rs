//! Both gateways refuse a revoked key. The gateway's own tests cover rotated keys, and revocations without Redis.

use e2e::{Client, Fleet, KeyRequest, Staff, eventually};
use sqlx::{Connection as _, PgConnection};

/// One client per gateway, with the key.
fn everywhere(fleet: &Fleet, secret: &str) -> Vec<Client> {
    let gateways = fleet.by_gateway();
    assert_eq!(gateways.len(), 2);
    gateways.iter().map(|gateway| Client::new(gateway, secret)).collect()
}

/// Whether each gateway accepts the key. On a busy machine, a call may miss a deadline (503), but no gateway refuses the key.
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

/// Prevents every gateway from reading changes, whether notified or polled, while every gateway has the key in its cache.
#[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
async fn blind(fleet: &Fleet, clients: &[Client]) -> PgConnection {
    // The change that created the key may still invalidate the cache entry of a gateway. After the lock, such a gateway could not look the key up
    // again, so try again.
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
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("unlimited").await;
    let (key, secret) = staff.key(&account, KeyRequest::live()).await;
    let clients = everywhere(fleet, &secret);
    // No gateway reads changes, so only the tombstone in Redis can revoke the key.
    let blinding = blind(fleet, &clients).await;
    staff.revoke(&key).await;
    for client in &clients {
        let answer = client.get("/games?limit=1").await;
        answer.assert_error(401, "invalid_key");
    }
    blinding.close().await.unwrap();
}
