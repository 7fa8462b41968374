//! Every hour: removes old deliveries, replaces rotated secrets, and encrypts secrets again that an old key has encrypted.

use std::time::Duration;

use kit::jobs::Leader;
use kit::key_ring::{KeyRing, SealError};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::key_ring::{open_secret, seal_secret};
use crate::store::endpoints::{self, Endpoint};
use crate::store::retention;

const PERIOD: Duration = Duration::from_hours(1);

/// Adds the jobs. Deliveries older than `retention` are removed.
pub(crate) fn spawn(leader: &Leader, pool: &PgPool, key_ring: &KeyRing, retention: time::Duration) {
    let deliveries = pool.clone();
    leader.spawn_periodic("retention", PERIOD, move |now| {
        let pool = deliveries.clone();
        async move { Ok(retention::remove(&pool, now - retention).await?) }
    });
    let (pool, key_ring) = (pool.clone(), key_ring.clone());
    leader.spawn_periodic("secret rotation", PERIOD, move |now| {
        let (pool, key_ring) = (pool.clone(), key_ring.clone());
        async move { reencrypt_secrets(&pool, &key_ring, now).await }
    });
}

/// Drops secrets whose rotation has ended, and encrypts the others with the first key. Returns the number of endpoints.
///
/// A secret that cannot be opened stays as it is, and does not stop the others.
pub async fn reencrypt_secrets(
    pool: &PgPool,
    key_ring: &KeyRing,
    now: OffsetDateTime,
) -> anyhow::Result<u64> {
    let prefix = key_ring.prefix();
    let (mut reencrypted, mut after) = (0, Uuid::nil());
    loop {
        let ids = endpoints::with_old_secrets(pool, after, &prefix, now).await?;
        let Some(last) = ids.last() else {
            return Ok(reencrypted);
        };
        after = *last;
        for id in ids {
            let mut transaction = kit::pg::begin(pool).await?;
            let Some(endpoint) = endpoints::lock(&mut transaction, id, None).await? else {
                continue;
            };
            match reencrypted_secrets(endpoint, key_ring, now) {
                Ok(endpoint) => {
                    endpoints::update(&mut transaction, &endpoint, now).await?;
                    transaction.commit().await?;
                    reencrypted += 1;
                }
                Err(error) => {
                    tracing::error!(endpoint = %id, %error, "a secret cannot be encrypted again");
                }
            }
        }
    }
}

fn reencrypted_secrets(
    mut endpoint: Endpoint,
    key_ring: &KeyRing,
    now: OffsetDateTime,
) -> Result<Endpoint, SealError> {
    if endpoint.is_rotated(now) {
        endpoint.use_next_secret();
    }
    let again = |sealed: &[u8]| {
        let secret = open_secret(key_ring, endpoint.id, sealed)?;
        seal_secret(key_ring, endpoint.id, &secret)
    };
    let next = endpoint.next_secret.as_deref().map(again).transpose()?;
    (endpoint.secret, endpoint.next_secret) = (again(&endpoint.secret)?, next);
    Ok(endpoint)
}
