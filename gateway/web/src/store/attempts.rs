//! `web.attempt_count`: what limits count.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;

/// Counts an attempt in the window that ends at `until`; returns the number of attempts in it. Of attempts at the same time, each gets another number.
pub async fn count(
    executor: impl PgExecutor<'_>,
    limit: &str,
    subject: &[u8],
    until: OffsetDateTime,
) -> Result<i32, sqlx::Error> {
    let query = sqlx::query_scalar!(
        "insert into web.attempt_count as known (until, limit_name, subject, n) values ($1, $2, $3, 1)
         on conflict (until, limit_name, subject) do update set n = known.n + 1 returning n",
        until,
        limit,
        subject
    );
    query.fetch_one(executor).await
}

/// Gives back an attempt of the window that ends at `until`.
pub async fn give_back(
    executor: impl PgExecutor<'_>,
    limit: &str,
    subject: &[u8],
    until: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "update web.attempt_count set n = n - 1 where until = $1 and limit_name = $2 and subject = $3",
        until,
        limit,
        subject
    );
    query.execute(executor).await?;
    Ok(())
}

/// Removes counts of windows that have ended; returns their number.
pub async fn remove_ended(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.attempt_count where until <= $1", now);
    Ok(removed.execute(pool).await?.rows_affected())
}
