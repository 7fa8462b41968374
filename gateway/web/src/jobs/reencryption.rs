//! Encrypts second factors again that an old key of `secret_keys` has encrypted.

use kit::key_ring::KeyRing;
use sqlx::PgPool;
use uuid::Uuid;

use crate::store::people;

/// Returns the number of second factors. One that cannot be decrypted stays as it is, and does not stop the others.
pub async fn run(pool: &PgPool, key_ring: &KeyRing) -> anyhow::Result<u64> {
    let prefix = key_ring.prefix();
    let (mut reencrypted, mut after) = (0, Uuid::nil());
    loop {
        let factors = people::totps_of_old_keys(pool, after, &prefix).await?;
        let Some(last) = factors.last() else {
            return Ok(reencrypted);
        };
        after = last.person;
        for factor in factors {
            let owner = factor.person.as_bytes();
            let opened = key_ring.open(owner, &factor.sealed);
            match opened.and_then(|secret| key_ring.seal(owner, &secret)) {
                Ok(sealed) => reencrypted += people::reseal_totp(pool, &factor, &sealed).await?,
                Err(error) => tracing::error!(
                    person = %factor.person,
                    %error,
                    "a second factor cannot be encrypted again"
                ),
            }
        }
    }
}
