//! Removes old deliveries and messages.

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgPool, Postgres};
use time::{Duration, OffsetDateTime};

/// Rows that a statement removes; of attempts, those that it looks for.
const BATCH: i64 = 5_000;
/// How much longer messages stay: a cursor works for a day longer than its message is listed (`service/messages`).
const MESSAGE_MARGIN: Duration = Duration::days(2);

/// Removes deliveries created before `before`, and then the messages without deliveries: a delivery is created in the transaction of its
/// message. Returns the number of rows.
pub async fn remove(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let attempts = remove_attempts(pool, before).await?;
    let waiting = remove_waiting(pool, before).await?;
    let messages = remove_messages(pool, before - MESSAGE_MARGIN).await?;
    Ok(attempts + waiting + messages)
}

/// Removes the attempts of deliveries created before `before`. One statement removes all attempts
/// of a delivery: with some of them, a list would miss the delivery, or show an earlier state.
async fn remove_attempts(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let batch = || {
        sqlx::query!(
            "delete from webhook.attempt_log where (endpoint_id, delivery_id) in (
                 select endpoint_id, delivery_id from webhook.attempt_log where created_at < $1 limit $2
             )",
            before,
            BATCH
        )
    };
    in_batches(pool, batch).await
}

/// Removes the waiting deliveries created before `before`.
async fn remove_waiting(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let batch = || {
        sqlx::query!(
            "delete from webhook.waiting where ctid = any(array(
                 select ctid from webhook.waiting where created_at < $1 limit $2
             ))",
            before,
            BATCH,
        )
    };
    in_batches(pool, batch).await
}

/// Removes the messages stored before `before`.
async fn remove_messages(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let batch = || {
        sqlx::query!(
            "delete from webhook.message where ctid = any(array(
                 select ctid from webhook.message where created_at < $1 limit $2
             ))",
            before,
            BATCH,
        )
    };
    in_batches(pool, batch).await
}

/// Repeats a statement until it removes less than a batch. Returns the number of rows.
async fn in_batches(
    pool: &PgPool,
    statement: impl Fn() -> Query<'static, Postgres, PgArguments>,
) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    loop {
        let rows = statement().execute(pool).await?.rows_affected();
        removed += rows;
        if rows < BATCH.unsigned_abs() {
            return Ok(removed);
        }
    }
}
