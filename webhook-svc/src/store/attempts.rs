//! `webhook.attempt`, and the changes of deliveries by attempts.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// The result of an attempt, and the delivery's state after it.
#[derive(Debug, Clone)]
pub struct Completion {
    pub endpoint_id: Uuid,
    pub delivery_id: i64,
    /// From 1.
    pub number: i32,
    pub at: OffsetDateTime,
    pub duration_ms: i32,
    pub status: Option<i32>,
    /// Why the attempt failed; empty: it succeeded.
    pub reason: String,
    pub answer: Vec<u8>,
    /// Of the delivery.
    pub state: &'static str,
    pub tries_left: i32,
    /// When the delivery is attempted next.
    pub due_at: Option<OffsetDateTime>,
}

/// Records attempts, and resets the failures of the endpoints that `succeeded`, in one statement.
///
/// Skips an attempt whose number is recorded already: another replica has claimed the endpoint after this one's lease expired.
pub async fn complete(
    executor: impl PgExecutor<'_>,
    batch: &[Completion],
    succeeded: &[Uuid],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with done as (
             select * from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[],
                 $7::text[], $8::bytea[], $9::text[], $10::integer[], $11::timestamptz[])
                 as done (endpoint_id, id, number, at, duration_ms, status, reason, answer, state, tries_left, due_at)
         ), updated as (
             update webhook.delivery
             set tries = done.number, state = done.state, tries_left = done.tries_left, due_at = done.due_at
             from done
             where delivery.endpoint_id = done.endpoint_id and delivery.id = done.id and delivery.tries = done.number - 1
             returning delivery.endpoint_id, delivery.id
         ), healthy as (
             update webhook.endpoint set failures = 0, first_failure_at = null, last_success_at = $13
             where id = any($12) and (failures > 0 or last_success_at is null or last_success_at < $14)
         )
         insert into webhook.attempt (endpoint_id, delivery_id, number, at, duration_ms, status, reason, answer)
         select endpoint_id, id, number, at, duration_ms, status, reason, answer
         from done join updated using (endpoint_id, id)",
        &column(batch, |it| it.endpoint_id),
        &column(batch, |it| it.delivery_id),
        &column(batch, |it| it.number),
        &column(batch, |it| it.at),
        &column(batch, |it| it.duration_ms),
        &column(batch, |it| it.status) as _,
        &column(batch, |it| it.reason.clone()),
        &column(batch, |it| it.answer.clone()),
        &column(batch, |it| it.state.to_owned()),
        &column(batch, |it| it.tries_left),
        &column(batch, |it| it.due_at) as _,
        succeeded,
        now,
        // To the minute, so that an endpoint's row is not written for each of its deliveries.
        now - time::Duration::MINUTE,
    )
    .execute(executor)
    .await?;
    Ok(())
}

fn column<T>(batch: &[Completion], of: impl Fn(&Completion) -> T) -> Vec<T> {
    batch.iter().map(of).collect()
}

/// Cancels deliveries whose listing is no longer public.
pub async fn cancel(
    connection: &mut PgConnection,
    deliveries: &[(Uuid, i64)],
) -> Result<(), sqlx::Error> {
    let (endpoints, ids): (Vec<Uuid>, Vec<i64>) = deliveries.iter().copied().unzip();
    sqlx::query!(
        "update webhook.delivery set state = 'cancelled', due_at = null
         from unnest($1::uuid[], $2::bigint[]) as gone (endpoint_id, id)
         where delivery.endpoint_id = gone.endpoint_id and delivery.id = gone.id and delivery.state = 'waiting'",
        &endpoints,
        &ids,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A row of `webhook.attempt`.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub number: i32,
    pub at: OffsetDateTime,
    pub duration_ms: i32,
    pub status: Option<i32>,
    pub reason: String,
    pub answer: Vec<u8>,
}

/// The attempts of a delivery, the oldest first.
pub async fn of_delivery(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    delivery: i64,
) -> Result<Vec<Attempt>, sqlx::Error> {
    sqlx::query_as!(
        Attempt,
        "select number, at, duration_ms, status, reason, answer from webhook.attempt
         where endpoint_id = $1 and delivery_id = $2 order by number",
        endpoint,
        delivery
    )
    .fetch_all(executor)
    .await
}
