//! Moves what the version before `attempt_log` left in `waiting` and `attempt` to the log (migration 0008 says when this goes).

use std::collections::BTreeSet;

use sqlx::PgPool;
use time::OffsetDateTime;

use super::partitions;

/// Rows per statement.
const BATCH: i64 = 5_000;

/// Moves attempts, if any are left, then removes the finished deliveries all of whose attempts have moved. Returns the number of attempts.
pub async fn run(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    // The rest reads all deliveries that wait.
    let are_left = sqlx::query_scalar!(r#"select exists (select from webhook.attempt) as "left!""#);
    if !are_left.fetch_one(pool).await? {
        return Ok(0);
    }
    let days = sqlx::query_scalar!(
        r#"select distinct (created_at at time zone 'utc')::date as "day!" from webhook.waiting where due_at is null or tries > 0"#
    );
    let days = BTreeSet::from_iter(days.fetch_all(pool).await?);
    partitions::create(pool, &days).await?;
    let mut moved = 0;
    loop {
        let batch = attempts(pool).await?;
        if batch == 0 {
            break;
        }
        moved += batch;
    }
    while finished(pool, now).await? > 0 {}
    Ok(moved)
}

async fn attempts(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let moved = sqlx::query_scalar!(
        r#"with gone as (
             delete from webhook.attempt where ctid = any(array(select ctid from webhook.attempt limit $1)) returning *
         ), logged as (
             insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, status,
                 reason, answer)
             select gone.endpoint_id, gone.delivery_id, gone.number, waiting.message_id, waiting.created_at,
                 case when gone.number = waiting.tries and waiting.state in ('delivered', 'failed') then waiting.state else 'waiting' end,
                 gone.at, gone.duration_ms, gone.status, gone.reason, gone.answer
             from gone join webhook.waiting on waiting.endpoint_id = gone.endpoint_id and waiting.id = gone.delivery_id
         )
         select count(*) as "count!" from gone"#,
        BATCH
    );
    Ok(moved.fetch_one(pool).await?.unsigned_abs())
}

/// The old version recorded no attempt for a cancellation: the log has one.
async fn finished(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query_scalar!(
        r#"with gone as (
             delete from webhook.waiting where due_at is null and ctid = any(array(
                 select ctid from webhook.waiting
                 where due_at is null and not exists (
                     select from webhook.attempt where attempt.endpoint_id = waiting.endpoint_id and attempt.delivery_id = waiting.id
                 )
                 limit $1
             ))
             returning endpoint_id, id, message_id, created_at, state, tries
         ), logged as (
             insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms, reason,
                 answer)
             select endpoint_id, id, tries + 1, message_id, created_at, state, $2, 0, $3, '' from gone where state = 'cancelled'
         )
         select count(*) as "count!" from gone"#,
        BATCH,
        now,
        super::NOT_PUBLISHED,
    );
    Ok(removed.fetch_one(pool).await?.unsigned_abs())
}
