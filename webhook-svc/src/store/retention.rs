//! Removes old deliveries and messages.

use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use super::partitions;

/// Rows per statement.
const BATCH: i64 = 5_000;

/// Removes deliveries created before `before`, and then the messages without deliveries. Returns the number of partitions and rows.
///
/// The attempts of a day go together, when the day has ended before `before`.
pub async fn remove(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let mut removed = partitions::drop_before(pool, before).await?;
    loop {
        let batch = remove_waiting(pool, before).await?;
        removed += batch;
        if batch < BATCH.unsigned_abs() {
            break;
        }
    }
    // The partition of the day of `before` remains, and a delivery is created in the transaction of its message.
    let oldest = before - 2 * Duration::DAY;
    loop {
        let batch = remove_messages(pool, oldest).await?;
        removed += batch;
        if batch < BATCH.unsigned_abs() {
            return Ok(removed);
        }
    }
}

async fn remove_waiting(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from webhook.waiting where ctid = any(array(
             select ctid from webhook.waiting where created_at < $1 limit $2
         ))",
        before,
        BATCH,
    );
    Ok(removed.execute(pool).await?.rows_affected())
}

async fn remove_messages(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from webhook.message where ctid = any(array(
             select ctid from webhook.message where created_at < $1 limit $2
         ))",
        before,
        BATCH,
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
