//! `webhook.queue`: which endpoints have due deliveries, and which replica sends them.
//!
//! A replica claims endpoints, not deliveries, with a lease on each. A claim therefore touches a few rows, whatever the backlog; the replica
//! that has claimed an endpoint reads its deliveries without a lock or a write; and an endpoint's limits hold for the whole fleet. A
//! transaction that adds work lowers `due_at`; while an endpoint is claimed, `due_at` is otherwise the end of the lease. The holder sees new
//! work when it claims, and reads the deliveries again when it releases.
//!
//! `now` is PostgreSQL's time: the clocks of replicas may differ.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// A claimed endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub endpoint: Uuid,
    /// Raised by each claim of another holder: results count only under the token of the present claim.
    pub token: i64,
}

/// Claims up to `limit` due endpoints for `term`. Endpoints that this replica has claimed already are among them when they have new work.
pub async fn claim(
    connection: &mut PgConnection,
    holder: Uuid,
    limit: i64,
    now: OffsetDateTime,
    term: Duration,
) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        "with due as (
             select endpoint_id from webhook.queue
             where due_at <= $2 and (leased_until is null or leased_until <= $2 or holder = $1)
             order by due_at limit $3
             for update skip locked
         )
         update webhook.queue set holder = $1, leased_until = $4, due_at = $4,
             token = token + case when holder is distinct from $1 then 1 else 0 end
         from due where queue.endpoint_id = due.endpoint_id
         returning queue.endpoint_id as endpoint, token",
        holder,
        now,
        limit,
        now + term,
    )
    .fetch_all(connection)
    .await
}

/// Renews the leases of these endpoints for `term`. Returns those that this replica still holds; it must then read what is due at each.
pub async fn renew(
    pool: &PgPool,
    holder: Uuid,
    claims: &[Claim],
    now: OffsetDateTime,
    term: Duration,
) -> Result<Vec<Claim>, sqlx::Error> {
    let endpoints: Vec<Uuid> = claims.iter().map(|claim| claim.endpoint).collect();
    let tokens: Vec<i64> = claims.iter().map(|claim| claim.token).collect();
    sqlx::query_as!(
        Claim,
        "with held as (
             select queue.endpoint_id from webhook.queue
             join unnest($2::uuid[], $3::bigint[]) as claim (endpoint_id, token) using (endpoint_id, token)
             where holder = $1 order by queue.endpoint_id for update of queue
         )
         update webhook.queue set leased_until = $4, due_at = $4
         from held where queue.endpoint_id = held.endpoint_id
         returning queue.endpoint_id as endpoint, token",
        holder,
        &endpoints,
        &tokens,
        now + term,
    )
    .fetch_all(pool)
    .await
}

/// Releases endpoints.
///
/// Each is due again when its next delivery is, after the endpoints that are due now. The rows of endpoints that were
/// removed go. Endpoints that another replica has claimed are skipped.
pub async fn release(
    pool: &PgPool,
    holder: Uuid,
    endpoints: &[Uuid],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mut transaction = kit::pg::begin(pool).await?;
    // A transaction that adds a delivery updates the endpoint's row. Lock the row first, then read the deliveries in a second statement: it
    // sees deliveries that were added before the lock, and a delivery that is added later lowers `due_at` again.
    let held = sqlx::query_scalar!(
        "select endpoint_id from webhook.queue where endpoint_id = any($1) and holder = $2 order by endpoint_id for update",
        endpoints,
        holder,
    ).fetch_all(&mut *transaction).await?;
    sqlx::query!(
        "with removed as (
             delete from webhook.queue
             where endpoint_id = any($1) and not exists (select from webhook.endpoint where id = queue.endpoint_id)
         )
         update webhook.queue set holder = null, leased_until = null,
             due_at = case when endpoint.state = 'on' then (
                 select greatest(waiting.due_at, $2) from webhook.waiting
                 where waiting.endpoint_id = queue.endpoint_id
                 order by waiting.due_at limit 1
             ) end
         from webhook.endpoint
         where queue.endpoint_id = any($1) and endpoint.id = queue.endpoint_id",
        &held,
        now,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}

/// Releases all endpoints of this replica, at its shutdown.
pub async fn release_all(
    pool: &PgPool,
    holder: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook.queue set holder = null, leased_until = null, due_at = least(due_at, $2) where holder = $1",
        holder,
        now,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Makes an endpoint due. Call it last in a transaction: a transaction that records attempts locks rows of `waiting` before those of the queue.
pub async fn make_due(
    connection: &mut PgConnection,
    endpoint: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook.queue set due_at = least(due_at, $2) where endpoint_id = $1",
        endpoint,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Since when the oldest endpoint that is due has waited for a replica.
pub async fn oldest_due(
    pool: &PgPool,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "select min(due_at) from webhook.queue
         where due_at <= $1 and (leased_until is null or leased_until <= $1)",
        now
    )
    .fetch_one(pool)
    .await
}

/// Makes every endpoint with a due delivery due, whatever its row says. Returns how many.
pub async fn sweep(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let swept = sqlx::query!(
        "update webhook.queue set due_at = least(queue.due_at, $1)
         from webhook.endpoint
         where endpoint.id = queue.endpoint_id and endpoint.state = 'on' and exists (
             select from webhook.waiting where waiting.endpoint_id = queue.endpoint_id and waiting.due_at <= $1
         )",
        now
    );
    Ok(swept.execute(pool).await?.rows_affected())
}
