//! Replaces rotated secrets, and encrypts secrets again that an old key has encrypted.

use kit::key_ring::{KeyRing, SealError};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::key_ring::{open_secret, seal_secret};
use crate::store::endpoints::{self, Endpoint};

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
                    endpoints::set_secrets(&mut transaction, &endpoint, now).await?;
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
