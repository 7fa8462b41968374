//! Deliveries that have failed for good, of which *Recover* sends many again (§6.3).

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::waiting::BEGIN_READ;
use super::{queue, waiting};

/// The failed deliveries that are counted, or sent again, at once.
const MAX_AT_ONCE: i64 = 10_000;
/// As [`BEGIN_READ`], for a transaction that writes.
pub const BEGIN_RECOVER: &str = "begin; set local enable_bitmapscan = off";

/// The failed deliveries of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// [`MAX_AT_ONCE`] at most.
    pub deliveries: i64,
    /// When the first of them failed; `None` if none did.
    pub oldest: Option<OffsetDateTime>,
}

/// Counts the deliveries to an endpoint whose last attempt was made at `since` or later, and
/// failed: at most [`MAX_AT_ONCE`], those that failed first.
///
/// The scalar subqueries look each delivery up by an index. The planner could join the whole log instead.
pub async fn count(
    pool: &PgPool,
    endpoint: Uuid,
    since: OffsetDateTime,
) -> Result<Failed, sqlx::Error> {
    let counting = sqlx::query_as!(
        Failed,
        r#"with failed as (
             select delivery_id, number, message_id, created_at, at from webhook.attempt_log as last
             where endpoint_id = $1 and at >= $2 and state = 'failed'
                 and (select id from webhook.waiting where endpoint_id = $1 and id = last.delivery_id) is null
                 and (
                     select true from webhook.attempt_log as later
                     where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number limit 1
                 ) is null
             order by at, delivery_id limit $3
         )
         select count(*) as "deliveries!", min(at) as oldest from failed"#,
        endpoint,
        since,
        MAX_AT_ONCE,
    );
    let mut transaction = kit::pg::begin_with(pool, BEGIN_READ).await?;
    let failed = counting.fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(failed)
}

/// Makes the deliveries that [`count`] counts due, with as many attempts as new ones: it selects
/// them in the same way. In a transaction of [`BEGIN_RECOVER`].
pub async fn recover(
    connection: &mut PgConnection,
    endpoint: Uuid,
    since: OffsetDateTime,
    max_attempts: i32,
    now: OffsetDateTime,
) -> Result<Failed, sqlx::Error> {
    waiting::lock_resends(connection, endpoint).await?;
    let recovering = sqlx::query_as!(
        Failed,
        r#"with failed as (
             select delivery_id, number, message_id, created_at, at from webhook.attempt_log as last
             where endpoint_id = $1 and at >= $2 and state = 'failed'
                 and (select id from webhook.waiting where endpoint_id = $1 and id = last.delivery_id) is null
                 and (
                     select true from webhook.attempt_log as later
                     where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number limit 1
                 ) is null
             order by at, delivery_id limit $3
         ), queued as (
             insert into webhook.waiting (endpoint_id, id, message_id, created_at, attempts, attempts_left, due_at, is_test)
             overriding system value
             select $1, delivery_id, message_id, failed.created_at, number, $5, $4, message.listing_kind is null
             from failed join webhook.message on message.id = message_id
             returning id
         )
         select (select count(*) from queued) as "deliveries!", (select min(at) from failed) as oldest"#,
        endpoint,
        since,
        MAX_AT_ONCE,
        now,
        max_attempts,
    );
    let failed = recovering.fetch_one(&mut *connection).await?;
    queue::make_due(connection, endpoint, now).await?;
    Ok(failed)
}
