//! Keeps every replica to an encryption key that all running replicas have, while `WEBHOOK_SECRET_KEYS` is rolled out.

use std::time::Duration;

use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::key_ring::KeyRing;
use crate::store::secret_keys;

/// How often a replica reports its keys.
const INTERVAL: Duration = Duration::from_secs(10);
/// A replica that has not reported for this time has ended.
const MAX_SILENCE: time::Duration = time::Duration::minutes(1);

/// Reports the keys of this replica, then starts the job that repeats it.
pub(crate) async fn start(
    lifecycle: &Lifecycle,
    pool: &PgPool,
    clock: &Clock,
    key_ring: &KeyRing,
) -> anyhow::Result<()> {
    let (pool, clock, key_ring) = (pool.clone(), clock.clone(), key_ring.clone());
    let replica = kit::ids::row_id();
    let now = kit::pg::now_in_time(&pool, &clock).await?;
    report(&pool, &key_ring, replica, now).await?;
    lifecycle.spawn_background("secret keys", async move {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let reported = async {
                let now = kit::pg::now_in_time(&pool, &clock).await?;
                report(&pool, &key_ring, replica, now).await
            };
            if let Err(error) = reported.await {
                tracing::warn!(%error, "cannot report the keys of WEBHOOK_SECRET_KEYS; trying again");
            }
        }
    });
    Ok(())
}

/// Reports the keys of a replica, and encrypts with its first key that all running replicas have from then on.
pub async fn report(
    pool: &PgPool,
    key_ring: &KeyRing,
    replica: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let own = key_ring.fingerprints();
    let reporting = kit::pg::within(pool, kit::pg::deadline(pool), async |connection| {
        secret_keys::report(connection, replica, &own, now, now - MAX_SILENCE).await
    });
    let common = reporting.await?;
    key_ring.encrypt_with_first_of(&common);
    Ok(())
}
