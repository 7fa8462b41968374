//! Removes old deliveries and messages, in batches.

use sqlx::PgPool;
use time::OffsetDateTime;

/// Rows per statement.
const BATCH: i64 = 5_000;

/// Removes deliveries created before `before` with their attempts, then the messages without deliveries. Returns the number of deliveries.
pub async fn remove(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    loop {
        let batch = deliveries(pool, before).await?;
        removed += batch;
        if batch < BATCH.unsigned_abs() {
            break;
        }
    }
    // A delivery is created in the transaction of its message: a day of margin is ample.
    let mut batch = BATCH.unsigned_abs();
    while batch == BATCH.unsigned_abs() {
        batch = messages(pool, before - time::Duration::DAY).await?;
    }
    Ok(removed)
}

async fn deliveries(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query_scalar!(
        r#"with gone as (
             delete from webhook.delivery where ctid = any(array(
                 select ctid from webhook.delivery where created_at < $1 limit $2
             ))
             returning endpoint_id, id
         ), attempts as (
             delete from webhook.attempt using gone
             where attempt.endpoint_id = gone.endpoint_id and attempt.delivery_id = gone.id
         )
         select count(*) as "count!" from gone"#,
        before,
        BATCH,
    );
    Ok(removed.fetch_one(pool).await?.unsigned_abs())
}

async fn messages(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from webhook.message where ctid = any(array(
             select ctid from webhook.message where created_at < $1 limit $2
         ))",
        before,
        BATCH,
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
