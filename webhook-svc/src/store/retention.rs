//! Removes what is old, a portion a statement.

use sqlx::PgPool;
use time::OffsetDateTime;

/// Rows of one statement.
const PORTION: i64 = 5_000;

/// Removes the deliveries made before `before` with their tries, then the messages that none is left of. Returns how many deliveries.
pub async fn remove(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    loop {
        let portion = deliveries(pool, before).await?;
        removed += portion;
        if portion < PORTION.unsigned_abs() {
            break;
        }
    }
    // A delivery is made with its message, or later within the same transaction.
    let mut portion = PORTION.unsigned_abs();
    while portion == PORTION.unsigned_abs() {
        portion = messages(pool, before - time::Duration::DAY).await?;
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
        PORTION,
    );
    Ok(removed.fetch_one(pool).await?.unsigned_abs())
}

async fn messages(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from webhook.message where ctid = any(array(
             select ctid from webhook.message where created_at < $1 limit $2
         ))",
        before,
        PORTION,
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
