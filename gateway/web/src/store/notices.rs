//! `web.key_notice`: mails before a key expires.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// Records a mail about a key; false if there was one.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    key: Uuid,
    expires_at: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into web.key_notice (key_id, expires_at) values ($1, $2) on conflict do nothing",
        key,
        expires_at,
    );
    Ok(inserted.execute(executor).await?.rows_affected() == 1)
}

/// Removes records of keys that have expired; returns their number.
pub async fn remove_old(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.key_notice where expires_at < $1", now);
    Ok(removed.execute(pool).await?.rows_affected())
}
