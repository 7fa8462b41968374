//! `webhook.recovery`: requests to send failed deliveries again.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::waiting::BEGIN_READ;

/// Failed deliveries of one transaction.
const BATCH: i64 = 5_000;
/// As [`BEGIN_READ`], for a transaction that writes.
const BEGIN_BATCH: &str = "begin; set local enable_bitmapscan = off";

/// Failed deliveries that are counted: there may be very many, and a person waits for the number.
pub const MAX_COUNTED: i64 = 10_000;

/// The failed deliveries of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// [`MAX_COUNTED`] at most.
    pub deliveries: i64,
    /// When the first of them failed; `None` if none did.
    pub oldest: Option<OffsetDateTime>,
}

/// Counts the deliveries to an endpoint whose last attempt was made at `since` or later, and failed.
///
/// The scalar subqueries look each delivery up by an index. The planner could join the whole log instead.
pub async fn count(
    pool: &PgPool,
    endpoint: Uuid,
    since: OffsetDateTime,
) -> Result<Failed, sqlx::Error> {
    let mut transaction = pool.begin_with(BEGIN_READ).await?;
    let failed = sqlx::query_as!(
        Failed,
        r#"select count(*) as "deliveries!", min(at) as oldest from (
               select at from webhook.attempt_log as last
               where endpoint_id = $1 and at >= $2 and state = 'failed'
                   and (select id from webhook.waiting where endpoint_id = $1 and id = last.delivery_id) is null
                   and (
                       select true from webhook.attempt_log as later
                       where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number
                           and later.created_at = last.created_at limit 1
                   ) is null
               order by at, delivery_id limit $3
           ) as failed"#,
        endpoint,
        since,
        MAX_COUNTED,
    )
    .fetch_one(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(failed)
}

/// Requests that the deliveries that failed between two times are sent again. A request that is not done yet becomes part of it.
pub async fn insert(
    connection: &mut PgConnection,
    endpoint: Uuid,
    since: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into webhook.recovery (endpoint_id, since, until) values ($1, $2, $3)
         on conflict (endpoint_id) do update set since = least(recovery.since, excluded.since), until = excluded.until,
             queued = 0, done_until = 0",
        endpoint,
        since,
        until,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The endpoints with requests that are not done.
pub async fn endpoints(pool: &PgPool) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!("select endpoint_id from webhook.recovery order by endpoint_id")
        .fetch_all(pool)
        .await
}

/// Makes the next failed deliveries of a request due, with as many attempts as new ones. Removes the request when none is left.
///
/// The request remembers the last delivery that was looked at, in the same transaction: each delivery is looked at once, also when the job is
/// interrupted. One that fails again meanwhile fails after the end of the span.
pub async fn insert_waiting_batch(
    pool: &PgPool,
    endpoint: Uuid,
    max_attempts: i32,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin_with(BEGIN_BATCH).await?;
    let request = sqlx::query!(
        "select since, until, done_until from webhook.recovery where endpoint_id = $1 for update",
        endpoint
    );
    let Some(request) = request.fetch_optional(&mut *transaction).await? else {
        return Ok(());
    };
    let batch = sqlx::query!(
        r#"with batch as (
             select delivery_id, number, message_id, created_at, at from webhook.attempt_log
             where endpoint_id = $1 and state = 'failed' and (at, delivery_id) > ($3, $2) and at <= $4
             order by at, delivery_id limit $5
         ), woken as (
             update webhook.queue set due_at = least(due_at, $6) where endpoint_id = $1
         ), queued as (
             insert into webhook.waiting (endpoint_id, id, message_id, created_at, attempts, attempts_left, due_at, is_test)
             overriding system value
             select $1, delivery_id, message_id, last.created_at, number, $7, $6, message.listing_kind is null
             from batch as last join webhook.message on message.id = message_id
             where (
                 select true from webhook.attempt_log as later
                 where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number
                     and later.created_at = last.created_at limit 1
             ) is null
             on conflict (endpoint_id, id) do nothing
             returning id
         )
         select at, delivery_id, (select count(*) from batch) as "read!", (select count(*) from queued) as "queued!"
         from batch order by at desc, delivery_id desc limit 1"#,
        endpoint,
        request.done_until,
        request.since,
        request.until,
        BATCH,
        now,
        max_attempts,
    );
    let last = batch.fetch_optional(&mut *transaction).await?;
    match last.filter(|last| last.read == BATCH) {
        Some(last) => {
            sqlx::query!(
                "update webhook.recovery set since = $2, done_until = $3, queued = queued + $4 where endpoint_id = $1",
                endpoint,
                last.at,
                last.delivery_id,
                last.queued,
            )
            .execute(&mut *transaction)
            .await?;
        }
        None => remove(&mut transaction, endpoint).await?,
    }
    transaction.commit().await
}

/// Removes the request of an endpoint.
pub async fn remove(connection: &mut PgConnection, endpoint: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from webhook.recovery where endpoint_id = $1",
        endpoint
    )
    .execute(connection)
    .await?;
    Ok(())
}
