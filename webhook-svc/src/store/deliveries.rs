//! Deliveries, in `webhook.waiting` and `webhook.attempt_log`: lists them, and makes them due again.

use sqlx::{PgConnection, PgExecutor, PgPool};
use strum::{EnumString, IntoStaticStr};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{queue, waiting};

/// How far a delivery has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// It has attempts left.
    Waiting,
    /// Its endpoint answered with a 2xx.
    Delivered,
    /// It has no attempts left.
    Failed,
    /// It must not be sent any more. This is logged with its reason as an attempt, and counts as one.
    Cancelled,
    /// A final state of a newer version. This version writes no such row.
    Unknown,
}

impl DeliveryState {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl From<String> for DeliveryState {
    fn from(column: String) -> Self {
        column.parse().unwrap_or(Self::Unknown)
    }
}

/// A row of `webhook.attempt_log`.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub number: i32,
    pub at: OffsetDateTime,
    pub duration_ms: i32,
    pub status: Option<i32>,
    pub reason: String,
    pub answer: Vec<u8>,
}

/// A delivery with its last attempt.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub endpoint_id: Uuid,
    pub id: i64,
    pub message_id: Uuid,
    pub event: String,
    pub is_test: bool,
    pub state: DeliveryState,
    pub created_at: OffsetDateTime,
    pub attempts: i32,
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
            number: self.attempts,
            at: self.attempt_at?,
            duration_ms: self.duration_ms?,
            status: self.status,
            reason: self.reason.clone()?,
            answer: self.answer.clone()?,
        })
    }
}

/// Which deliveries are listed; `None` does not filter.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub state: Option<DeliveryState>,
    /// The id of the last delivery of the page before.
    pub before: Option<i64>,
}

/// Begins a list: each is planned for its own filter, since the plan for any filter reads the whole log instead of the index of a state.
const BEGIN_LIST: &str = "begin read only; set local plan_cache_mode = force_custom_plan";

/// Deliveries to an endpoint, the newest first.
pub async fn list(
    pool: &PgPool,
    endpoint: Uuid,
    filter: Filter,
    limit: i64,
) -> Result<Vec<Delivery>, sqlx::Error> {
    // Both halves are read in the order of their index, up to the length of a page.
    let found = sqlx::query_as!(
        Delivery,
        r#"select $1::uuid as "endpoint_id!", found.id as "id!", found.message_id as "message_id!", message.event,
               message.listing_kind is null as "is_test!", found.state as "state!", found.created_at as "created_at!",
               found.attempts as "attempts!", found.due_at, attempt.at as "attempt_at?",
               attempt.duration_ms as "duration_ms?", attempt.status as "status?", attempt.reason as "reason?",
               attempt.answer as "answer?"
           from (
               (select id, message_id, 'waiting' as state, created_at, attempts, due_at from webhook.waiting
                where endpoint_id = $1 and ($2::text is null or $2 = 'waiting')
                    and ($3::bigint is null or id < $3)
                order by id desc limit $4)
               union all
               (select delivery_id, message_id, state, created_at, number, null from webhook.attempt_log as last
                where endpoint_id = $1 and state <> 'waiting'
                    and not exists (
                        select from webhook.waiting where endpoint_id = $1 and id = last.delivery_id
                    )
                    and not exists (
                        select from webhook.attempt_log as later
                        where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number
                    )
                    and ($2::text is null or state = $2)
                    and ($3::bigint is null or delivery_id < $3)
                order by delivery_id desc limit $4)
           ) as found
           join webhook.message on message.id = found.message_id
           left join webhook.attempt_log as attempt on attempt.endpoint_id = $1 and attempt.delivery_id = found.id
               and attempt.number = found.attempts
           order by found.id desc"#,
        endpoint,
        filter.state.map(DeliveryState::as_str),
        filter.before,
        limit,
    );
    let mut transaction = kit::pg::begin_with(pool, BEGIN_LIST).await?;
    let mut found = found.fetch_all(&mut *transaction).await?;
    transaction.commit().await?;
    found.truncate(usize::try_from(limit).unwrap_or_default());
    Ok(found)
}

pub async fn find(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    id: i64,
) -> Result<Option<Delivery>, sqlx::Error> {
    sqlx::query_as!(
        Delivery,
        r#"select $1::uuid as "endpoint_id!", found.id as "id!", found.message_id as "message_id!", message.event,
               message.listing_kind is null as "is_test!", found.state as "state!", found.created_at as "created_at!",
               found.attempts as "attempts!", found.due_at, attempt.at as "attempt_at?",
               attempt.duration_ms as "duration_ms?", attempt.status as "status?", attempt.reason as "reason?",
               attempt.answer as "answer?"
           from (
               (select id, message_id, 'waiting' as state, created_at, attempts, due_at from webhook.waiting
                where endpoint_id = $1 and id = $2)
               union all
               (select delivery_id, message_id, state, created_at, number, null from webhook.attempt_log as last
                where endpoint_id = $1 and state <> 'waiting'
                    and not exists (
                        select from webhook.waiting where endpoint_id = $1 and id = last.delivery_id
                    )
                    and not exists (
                        select from webhook.attempt_log as later
                        where later.endpoint_id = $1 and later.delivery_id = last.delivery_id and later.number > last.number
                    )
                    and delivery_id = $2)
           ) as found
           join webhook.message on message.id = found.message_id
           left join webhook.attempt_log as attempt on attempt.endpoint_id = $1 and attempt.delivery_id = found.id
               and attempt.number = found.attempts"#,
        endpoint,
        id,
    )
    .fetch_optional(executor)
    .await
}

/// The id of the delivery of a message to an endpoint.
pub async fn find_by_message(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    message: Uuid,
) -> Result<Option<i64>, sqlx::Error> {
    let id = sqlx::query_scalar!(
        "select id from webhook.waiting where endpoint_id = $1 and message_id = $2
         union all
         select delivery_id from webhook.attempt_log where endpoint_id = $1 and message_id = $2
         limit 1",
        endpoint,
        message,
    );
    Ok(id.fetch_optional(executor).await?.flatten())
}

/// A delivery with all its attempts and the body of its message.
#[derive(Debug, Clone)]
pub struct Details {
    pub delivery: Delivery,
    pub attempts: Vec<Attempt>,
    pub body: Vec<u8>,
}

/// One delivery as it is at one moment: an attempt changes the delivery and the log.
pub async fn details(
    pool: &PgPool,
    endpoint: Uuid,
    id: i64,
) -> Result<Option<Details>, sqlx::Error> {
    let begin = "begin isolation level repeatable read read only";
    let mut snapshot = kit::pg::begin_with(pool, begin).await?;
    let Some(delivery) = find(&mut *snapshot, endpoint, id).await? else {
        return Ok(None);
    };
    let attempts = attempts(&mut *snapshot, endpoint, id).await?;
    let body = body(&mut *snapshot, delivery.message_id).await?;
    snapshot.commit().await?;
    Ok(Some(Details { delivery, attempts, body: body.unwrap_or_default() }))
}

/// The attempts of a delivery, the oldest first.
async fn attempts(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    delivery: i64,
) -> Result<Vec<Attempt>, sqlx::Error> {
    sqlx::query_as!(
        Attempt,
        "select number, at, duration_ms, status, reason, answer from webhook.attempt_log
         where endpoint_id = $1 and delivery_id = $2 order by number",
        endpoint,
        delivery
    )
    .fetch_all(executor)
    .await
}

/// The body of a message.
async fn body(
    executor: impl PgExecutor<'_>,
    message: Uuid,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!("select body from webhook.message where id = $1", message)
        .fetch_optional(executor)
        .await
}

/// A delivery that is sent again.
#[derive(Debug, Clone, Copy)]
pub struct Resend {
    pub endpoint: Uuid,
    pub delivery: i64,
    /// Whether the delivery was waiting when the caller read it. If the attempt in flight has
    /// succeeded since, nothing is sent again.
    pub was_waiting: bool,
    /// If the delivery has more attempts, nothing is sent: one has ended since the person saw it.
    /// `None`: no limit.
    pub most_attempts: Option<i32>,
}

/// Makes a delivery due, with one more attempt if it is finished. Returns false if nothing is sent.
pub async fn send_again(
    connection: &mut PgConnection,
    resend: Resend,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let Resend { endpoint, delivery: id, was_waiting, most_attempts } = resend;
    waiting::lock_resends(connection, endpoint).await?;
    // Waits for the transaction that records an attempt in flight. The next statement then sees the result.
    let found = sqlx::query!(
        "update webhook.waiting set due_at = $3
         where endpoint_id = $1 and id = $2 and ($4::integer is null or attempts <= $4)",
        endpoint,
        id,
        now,
        most_attempts,
    );
    if found.execute(&mut *connection).await?.rows_affected() > 0 {
        queue::make_due(connection, endpoint, now).await?;
        return Ok(true);
    }
    let inserted = sqlx::query!(
        "insert into webhook.waiting (endpoint_id, id, message_id, created_at, attempts, attempts_left, due_at, is_test)
         overriding system value
         select $1, $2, message_id, last.created_at, number, 1, $3, message.listing_kind is null from (
             select * from webhook.attempt_log where endpoint_id = $1 and delivery_id = $2 order by number desc limit 1
         ) as last join webhook.message on message.id = message_id
         where (state <> 'delivered' or not $4) and ($5::integer is null or number <= $5)",
        endpoint,
        id,
        now,
        was_waiting,
        most_attempts,
    )
    .execute(&mut *connection)
    .await?;
    queue::make_due(connection, endpoint, now).await?;
    Ok(inserted.rows_affected() > 0)
}
