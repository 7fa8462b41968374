//! Every hour: removes old deliveries, replaces rotated secrets, and encrypts secrets again that an old key has encrypted.

use std::time::Duration;

use kit::lease::Lease;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::key_ring::KeyRing;
use crate::store::{endpoints, retention as old_deliveries};

const PERIOD: Duration = Duration::from_hours(1);

/// Starts the job. Deliveries older than `retention` are removed.
pub(crate) fn spawn(
    lifecycle: &Lifecycle,
    pool: &PgPool,
    clock: &Clock,
    key_ring: &KeyRing,
    retention: time::Duration,
) {
    let lease = Lease::new(pool.clone(), SCHEMA, "upkeep", clock.clone());
    let (pool, clock, key_ring) = (pool.clone(), clock.clone(), key_ring.clone());
    lease.spawn(lifecycle, move || {
        let (pool, clock, key_ring) = (pool.clone(), clock.clone(), key_ring.clone());
        async move {
            loop {
                let now = clock.now();
                match old_deliveries::remove(&pool, now - retention).await {
                    Ok(0) => {}
                    Ok(removed) => tracing::info!(removed, "removed old deliveries"),
                    Err(error) => tracing::warn!(%error, "cannot remove old deliveries"),
                }
                match reencrypt_secrets(&pool, &key_ring, now).await {
                    Ok(0) => {}
                    Ok(reencrypted) => tracing::info!(reencrypted, "encrypted secrets again"),
                    Err(error) => {
                        tracing::warn!(
                            error = format!("{error:#}"),
                            "cannot encrypt secrets again"
                        );
                    }
                }
                clock.sleep(PERIOD).await;
            }
        }
    });
}

/// Drops secrets whose rotation has ended, and encrypts the others with the first key. Returns the number of endpoints.
pub async fn reencrypt_secrets(
    pool: &PgPool,
    key_ring: &KeyRing,
    now: OffsetDateTime,
) -> anyhow::Result<u64> {
    let (mut reencrypted, mut after) = (0, Uuid::nil());
    loop {
        let ids = endpoints::with_old_secrets(pool, after, &key_ring.prefix(), now).await?;
        let Some(last) = ids.last() else {
            return Ok(reencrypted);
        };
        after = *last;
        for id in ids {
            let mut transaction = pool.begin().await?;
            let Some(mut endpoint) = endpoints::lock(&mut transaction, id, None).await? else {
                continue;
            };
            let (secret, next) = endpoint.secrets(now);
            let secret = key_ring.open(id, secret)?;
            let next = next.map(|next| key_ring.open(id, next)).transpose()?;
            endpoint.secret = key_ring.seal(id, &secret)?;
            endpoint.next_secret_from = endpoint.next_secret_from.filter(|_| next.is_some());
            endpoint.next_secret = next.map(|next| key_ring.seal(id, &next)).transpose()?;
            endpoints::update(&mut transaction, &endpoint, now).await?;
            transaction.commit().await?;
            reencrypted += 1;
        }
    }
}
