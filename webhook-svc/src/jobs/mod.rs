//! Jobs that the leader runs.

mod secrets;

use std::time::Duration;

use kit::Clock;
use kit::jobs::Leader;
use kit::key_ring::KeyRing;
use kit::wakeup::Wakeup;
use sqlx::PgPool;
use time::Time;

use crate::store::{queue, retention};

pub use secrets::reencrypt_secrets;

const HOUR: Duration = Duration::from_hours(1);
/// How often the age of the oldest due delivery is measured.
const AGE_INTERVAL: Duration = Duration::from_secs(5);

/// Removes deliveries and messages that are older than `retention`.
pub(crate) fn spawn_retention(leader: &Leader, pool: &PgPool, retention: time::Duration) {
    let pool = pool.clone();
    leader.spawn_periodic("retention", HOUR, move |now| {
        let pool = pool.clone();
        async move { Ok(retention::remove(&pool, now - retention).await?) }
    });
}

/// Replaces rotated secrets, and encrypts secrets again that an old key has encrypted.
pub(crate) fn spawn_secret_rotation(leader: &Leader, pool: &PgPool, key_ring: &KeyRing) {
    let (pool, key_ring) = (pool.clone(), key_ring.clone());
    leader.spawn_periodic("secret rotation", HOUR, move |now| {
        let (pool, key_ring) = (pool.clone(), key_ring.clone());
        async move { reencrypt_secrets(&pool, &key_ring, now).await }
    });
}

/// Measures how long deliveries that are due have waited for a replica: a slow endpoint does not count.
pub(crate) fn spawn_oldest_due(leader: &Leader, pool: &PgPool) {
    let pool = pool.clone();
    leader.spawn_periodic("oldest due delivery", AGE_INTERVAL, move |now| {
        let pool = pool.clone();
        async move {
            let oldest = queue::oldest_due(&pool, now).await?;
            let age = oldest.map_or(0.0, |due| (now - due).as_seconds_f64());
            metrics::gauge!("webhook_oldest_due_seconds").set(age);
            Ok(0)
        }
    });
}

/// At `hour` UTC makes every endpoint with due deliveries due (§6.2), even where its row of the queue is wrong.
pub fn spawn_sweep(
    leader: &Leader,
    pool: &PgPool,
    clock: &Clock,
    wakeup: &Wakeup,
    hour: u8,
) -> anyhow::Result<()> {
    let at = Time::from_hms(hour, 0, 0)?;
    let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
    leader.spawn_daily("sweep", at, move |_due| {
        let (pool, clock, wakeup) = (pool.clone(), clock.clone(), wakeup.clone());
        async move {
            let endpoints = queue::sweep(&pool, kit::pg::now(&pool, &clock).await?).await?;
            tracing::info!(endpoints, "made endpoints with due deliveries due");
            wakeup.wake();
            Ok(())
        }
    });
    Ok(())
}
