//! `webhook.delivery`: lists deliveries, and makes them due again.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::attempts::Attempt;

/// A delivery with its last attempt.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub endpoint_id: Uuid,
    pub id: i64,
    pub message_id: Uuid,
    pub event: String,
    pub state: String,
    pub created_at: OffsetDateTime,
    pub tries: i32,
    pub due_at: Option<OffsetDateTime>,
    pub attempt_at: Option<OffsetDateTime>,
    pub duration_ms: Option<i32>,
    pub status: Option<i32>,
    pub reason: Option<String>,
    pub answer: Option<Vec<u8>>,
}

impl Delivery {
    pub fn last_attempt(&self) -> Option<Attempt> {
        Some(Attempt {
            number: self.tries,
            at: self.attempt_at?,
            duration_ms: self.duration_ms?,
            status: self.status,
            reason: self.reason.clone()?,
            answer: self.answer.clone()?,
        })
    }
}

/// Which deliveries are listed; `None` does not filter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub state: Option<&'static str>,
    pub event: Option<String>,
    pub since: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
    /// The id of the last delivery of the page before.
    pub before: Option<i64>,
}

macro_rules! deliveries {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            Delivery,
            r#"select delivery.endpoint_id, delivery.id, delivery.message_id, message.event, delivery.state, delivery.created_at,
                   delivery.tries, delivery.due_at, attempt.at as "attempt_at?", attempt.duration_ms as "duration_ms?",
                   attempt.status, attempt.reason as "reason?", attempt.answer as "answer?"
               from webhook.delivery
               join webhook.message on message.id = delivery.message_id
               left join webhook.attempt on attempt.endpoint_id = delivery.endpoint_id
                   and attempt.delivery_id = delivery.id and attempt.number = delivery.tries
               where delivery.endpoint_id = $1 and "# + $where,
            $($argument),+
        )
    };
}

/// Deliveries to an endpoint, the newest first.
pub async fn list(
    pool: &PgPool,
    endpoint: Uuid,
    filter: Filter,
    most: i64,
) -> Result<Vec<Delivery>, sqlx::Error> {
    deliveries!(
        "($2::text is null or delivery.state = $2) and ($3::text is null or message.event = $3)
         and ($4::timestamptz is null or delivery.created_at >= $4)
         and ($5::timestamptz is null or delivery.created_at < $5)
         and ($6::bigint is null or delivery.id < $6)
         order by delivery.id desc limit $7",
        endpoint,
        filter.state,
        filter.event,
        filter.since,
        filter.until,
        filter.before,
        most
    )
    .fetch_all(pool)
    .await
}

pub async fn find(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    id: i64,
) -> Result<Option<Delivery>, sqlx::Error> {
    deliveries!("delivery.id = $2", endpoint, id)
        .fetch_optional(executor)
        .await
}

/// The body of a message.
pub async fn body(
    executor: impl PgExecutor<'_>,
    message: Uuid,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!("select body from webhook.message where id = $1", message)
        .fetch_optional(executor)
        .await
}

/// Makes a delivery due, with one more attempt if it is finished. `false`: there is no such delivery.
pub async fn send_again(
    connection: &mut PgConnection,
    endpoint: Uuid,
    id: i64,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $3) where endpoint_id = $1)
         update webhook.delivery set state = 'waiting', due_at = $3,
             tries_left = case when state = 'waiting' then tries_left else 1 end
         where endpoint_id = $1 and id = $2",
        endpoint,
        id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The number of failed deliveries to an endpoint that were created since `since`.
pub async fn count_failed(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    since: OffsetDateTime,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from webhook.delivery
           where endpoint_id = $1 and state = 'failed' and created_at >= $2"#,
        endpoint,
        since
    )
    .fetch_one(executor)
    .await
}

/// Makes these failed deliveries due, with as many attempts as new ones. Returns how many.
pub async fn recover(
    connection: &mut PgConnection,
    endpoint: Uuid,
    since: OffsetDateTime,
    tries: i32,
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "with woken as (update webhook.queue set due_at = least(due_at, $3) where endpoint_id = $1)
         update webhook.delivery set state = 'waiting', due_at = $3, tries_left = $4
         where endpoint_id = $1 and state = 'failed' and created_at >= $2",
        endpoint,
        since,
        now,
        tries,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
