//! `webhook.attempt_log`, and what attempts do to `webhook.waiting`.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::deliveries::DeliveryState;
use super::queue::Claim;

/// The result of an attempt, and the delivery's state after it.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Under which the attempt was made.
    pub claim: Claim,
    pub delivery_id: i64,
    /// From 1.
    pub number: i32,
    pub at: OffsetDateTime,
    pub duration_ms: i32,
    pub status: Option<i32>,
    /// Why the attempt failed; empty: it succeeded.
    pub reason: String,
    pub answer: Vec<u8>,
    /// The delivery's state after the attempt.
    pub state: DeliveryState,
    pub attempts_left: i32,
    /// When the delivery was due, as it was read for the attempt. Another time in its row is a request during the attempt to send it again.
    pub was_due_at: OffsetDateTime,
    /// When the delivery is attempted next; `None`: it no longer waits.
    pub due_at: Option<OffsetDateTime>,
}

/// Records attempts, and resets the failures of the endpoints that took a delivery. Returns the
/// deliveries that have failed, and those whose endpoint answered 410, by endpoint and id.
///
/// A replica that has lost its claim changes nothing: the token of its claim is old. The number of
/// the attempt also rejects a result whose transaction began before the new claim was committed.
/// Both statements read the token by a subquery for each row, because the planner, which does not
/// know the length of the batch, could plan a join that reads the whole batch for each claimed
/// endpoint.
///
/// Deliveries that have failed need a transaction around the two statements. A batch of successes
/// is one statement.
pub async fn complete(
    connection: &mut PgConnection,
    holder: Uuid,
    batch: &[Completion],
    now: OffsetDateTime,
) -> Result<Vec<(Uuid, i64)>, sqlx::Error> {
    let is_over = |it: &&Completion| it.due_at.is_none();
    let may_wait = |it: &&Completion| it.due_at.is_some() || it.state == DeliveryState::Failed;
    let mut reported = Vec::new();
    let over: Vec<&Completion> = batch.iter().filter(is_over).collect();
    if !over.is_empty() {
        reported = finish(&mut *connection, holder, &over, now).await?;
    }
    let waiting: Vec<&Completion> = batch.iter().filter(may_wait).collect();
    if !waiting.is_empty() {
        reported.extend(postpone(connection, holder, &waiting).await?);
    }
    Ok(reported)
}

/// Ends deliveries, and records the successes of their endpoints. Returns the deliveries that have
/// failed. Skips those that have failed and that somebody has asked to send again during the
/// attempt.
async fn finish(
    connection: &mut PgConnection,
    holder: Uuid,
    batch: &[&Completion],
    now: OffsetDateTime,
) -> Result<Vec<(Uuid, i64)>, sqlx::Error> {
    let failed = sqlx::query!(
        r#"with held as (
             select done.* from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::integer[], $6::timestamptz[], $7::integer[],
                 $8::integer[], $9::text[], $10::bytea[], $11::text[], $12::timestamptz[])
                 as done (endpoint_id, token, id, number, at, duration_ms, status, reason, answer, state, was_due_at)
             where done.token = (select token from webhook.queue where endpoint_id = done.endpoint_id and holder = $1)
         ), finished as (
             delete from webhook.waiting using held
             where waiting.endpoint_id = held.endpoint_id and waiting.id = held.id and waiting.attempts = held.number - 1
                 and (held.state <> 'failed' or waiting.due_at = held.was_due_at)
             returning held.endpoint_id, held.id, held.number, waiting.message_id, waiting.created_at, held.state, held.at,
                 held.duration_ms, held.status, held.reason, held.answer
         ), logged as (
             insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms,
                 status, reason, answer)
             select * from finished
             on conflict do nothing
         ), healthy as (
             update webhook.endpoint set failures = 0, first_failure_at = null, last_success_at = $13
             where id in (
                 select id from webhook.endpoint
                 where id in (select endpoint_id from finished where state = 'delivered')
                     and (failures > 0 or last_success_at is null or last_success_at < $14)
                 order by id for no key update
             )
         )
         select endpoint_id as "endpoint_id!", id as "id!" from finished where state = 'failed'"#,
        holder,
        &column(batch, |it| it.claim.endpoint),
        &column(batch, |it| it.claim.token),
        &column(batch, |it| it.delivery_id),
        &column(batch, |it| it.number),
        &column(batch, |it| it.at),
        &column(batch, |it| it.duration_ms),
        &column(batch, |it| it.status) as _,
        &column(batch, |it| it.reason.clone()),
        &column(batch, |it| it.answer.clone()),
        &column(batch, |it| it.state.as_str().to_owned()),
        &column(batch, |it| it.was_due_at),
        now,
        // To the minute, so that an endpoint's row is not written for each of its deliveries.
        now - time::Duration::MINUTE,
    )
    .fetch_all(connection)
    .await?;
    Ok(failed.into_iter().map(|row| (row.endpoint_id, row.id)).collect())
}

/// Makes deliveries due at their next attempt. Returns those whose endpoint answered 410.
///
/// One that somebody has asked to send again during the attempt keeps the time of that request,
/// with one attempt at least.
async fn postpone(
    connection: &mut PgConnection,
    holder: Uuid,
    batch: &[&Completion],
) -> Result<Vec<(Uuid, i64)>, sqlx::Error> {
    let gone = sqlx::query!(
        r#"with held as (
             select done.* from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::integer[], $6::timestamptz[], $7::integer[],
                 $8::integer[], $9::text[], $10::bytea[], $11::integer[], $12::timestamptz[], $13::timestamptz[])
                 as done (endpoint_id, token, id, number, at, duration_ms, status, reason, answer, attempts_left, was_due_at, due_at)
             where done.token = (select token from webhook.queue where endpoint_id = done.endpoint_id and holder = $1)
         ), postponed as (
             update webhook.waiting set attempts = held.number,
                 attempts_left = case when waiting.due_at = held.was_due_at then held.attempts_left
                     else greatest(held.attempts_left, 1) end,
                 due_at = case when waiting.due_at = held.was_due_at then held.due_at else waiting.due_at end
             from held
             where waiting.endpoint_id = held.endpoint_id and waiting.id = held.id and waiting.attempts = held.number - 1
                 and (held.due_at is not null or waiting.due_at <> held.was_due_at)
             returning held.endpoint_id, held.id, held.number, waiting.message_id, waiting.created_at, 'waiting', held.at,
                 held.duration_ms, held.status, held.reason, held.answer
         ), logged as (
             insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms,
                 status, reason, answer)
             select * from postponed
             on conflict do nothing
         )
         select endpoint_id as "endpoint_id!", id as "id!" from postponed where status = 410"#,
        holder,
        &column(batch, |it| it.claim.endpoint),
        &column(batch, |it| it.claim.token),
        &column(batch, |it| it.delivery_id),
        &column(batch, |it| it.number),
        &column(batch, |it| it.at),
        &column(batch, |it| it.duration_ms),
        &column(batch, |it| it.status) as _,
        &column(batch, |it| it.reason.clone()),
        &column(batch, |it| it.answer.clone()),
        &column(batch, |it| it.attempts_left),
        &column(batch, |it| it.was_due_at),
        &column(batch, |it| it.due_at) as _,
    )
    .fetch_all(connection)
    .await?;
    Ok(gone.into_iter().map(|row| (row.endpoint_id, row.id)).collect())
}

fn column<T>(batch: &[&Completion], of: impl Fn(&Completion) -> T) -> Vec<T> {
    batch.iter().map(|it| of(it)).collect()
}
