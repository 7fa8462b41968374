//! `webhook.attempt_log`, and what attempts do to `webhook.waiting`.

use sqlx::PgExecutor;
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

/// Records attempts, and resets the failures of the endpoints that took a delivery, in one statement. Returns the deliveries that have failed,
/// and those whose endpoint answered 410, by endpoint and id.
///
/// A replica that has lost its claim changes nothing: the token of its claim is old. The number of the attempt also rejects a result whose
/// transaction began before the new claim was committed.
///
/// A delivery that somebody has asked to send again during the attempt is due at once when the attempt has failed, with one attempt at least.
///
/// The token is read by a subquery for each row, because the planner, which does not know the length of the batch, could plan a join that reads
/// the whole batch for each claimed endpoint.
pub async fn complete(
    executor: impl PgExecutor<'_>,
    holder: Uuid,
    batch: &[Completion],
    now: OffsetDateTime,
) -> Result<Vec<(Uuid, i64)>, sqlx::Error> {
    let failed = sqlx::query!(
        r#"with held as (
             select done.* from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::integer[], $6::timestamptz[], $7::integer[],
                 $8::integer[], $9::text[], $10::bytea[], $11::text[], $12::integer[], $13::timestamptz[], $14::timestamptz[])
                 as done (endpoint_id, token, id, number, at, duration_ms, status, reason, answer, state, attempts_left, was_due_at,
                     due_at)
             where done.token = (select token from webhook.queue where endpoint_id = done.endpoint_id and holder = $1)
         ), finished as (
             delete from webhook.waiting using held
             where waiting.endpoint_id = held.endpoint_id and waiting.id = held.id and waiting.attempts = held.number - 1
                 and held.due_at is null and (held.state <> 'failed' or waiting.due_at = held.was_due_at)
             returning held.endpoint_id, held.id, held.number, waiting.message_id, waiting.created_at, held.state, held.at,
                 held.duration_ms, held.status, held.reason, held.answer
         ), postponed as (
             update webhook.waiting set attempts = held.number,
                 attempts_left = case when waiting.due_at = held.was_due_at then held.attempts_left
                     else greatest(held.attempts_left, 1) end,
                 due_at = case when waiting.due_at = held.was_due_at then held.due_at else waiting.due_at end
             from held
             where waiting.endpoint_id = held.endpoint_id and waiting.id = held.id and waiting.attempts = held.number - 1
                 and (held.due_at is not null or held.state = 'failed' and waiting.due_at <> held.was_due_at)
             returning held.endpoint_id, held.id, held.number, waiting.message_id, waiting.created_at, 'waiting', held.at,
                 held.duration_ms, held.status, held.reason, held.answer
         ), logged as (
             insert into webhook.attempt_log (endpoint_id, delivery_id, number, message_id, created_at, state, at, duration_ms,
                 status, reason, answer)
             select * from finished union all select * from postponed
             on conflict do nothing
         ), healthy as (
             update webhook.endpoint set failures = 0, first_failure_at = null, last_success_at = $15
             where id in (
                 select id from webhook.endpoint
                 where id in (select endpoint_id from finished where state = 'delivered')
                     and (failures > 0 or last_success_at is null or last_success_at < $16)
                 order by id for no key update
             )
         )
         select endpoint_id as "endpoint_id!", id as "id!" from finished where state = 'failed'
         union all
         select endpoint_id, id from postponed where status = 410"#,
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
        &column(batch, |it| it.attempts_left),
        &column(batch, |it| it.was_due_at),
        &column(batch, |it| it.due_at) as _,
        now,
        // To the minute, so that an endpoint's row is not written for each of its deliveries.
        now - time::Duration::MINUTE,
    )
    .fetch_all(executor)
    .await?;
    Ok(failed.into_iter().map(|row| (row.endpoint_id, row.id)).collect())
}

fn column<T>(batch: &[Completion], of: impl Fn(&Completion) -> T) -> Vec<T> {
    batch.iter().map(of).collect()
}
