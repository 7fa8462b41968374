//! `webhook.queue`: which endpoints have something to be done, and which replica does it.
//!
//! A replica claims endpoints, not deliveries, and holds each by a lease. So one statement of a few rows finds what is to be done, whatever the
//! backlog; deliveries are read by the one replica that holds their endpoint, without a lock or a write; and an endpoint's limits hold for the whole
//! fleet. Whoever adds work lowers `due_at` in the same transaction; while an endpoint is held, `due_at` is the end of the
//! lease otherwise. The holder sees new work when it claims, and reads the deliveries again when it releases.

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

/// How long a claim holds when it is not renewed.
pub const TERM: Duration = Duration::from_secs(10);

/// Claims up to `most` endpoints that have something to be done; those that this replica holds already are among them.
pub async fn claim(
    pool: &PgPool,
    holder: Uuid,
    most: i64,
    now: OffsetDateTime,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "with due as (
             select endpoint_id from webhook.queue
             where due_at <= $2 and (leased_until is null or leased_until <= $2 or holder = $1)
             order by due_at limit $3
             for update skip locked
         )
         update webhook.queue set holder = $1, leased_until = $4, due_at = $4
         from due where queue.endpoint_id = due.endpoint_id
         returning queue.endpoint_id",
        holder,
        now,
        most,
        now + TERM,
    )
    .fetch_all(pool)
    .await
}

/// Prolongs the leases that this replica holds: the endpoints that it still has. It looks for what is due at each of them then.
pub async fn renew(
    pool: &PgPool,
    holder: Uuid,
    endpoints: &[Uuid],
    now: OffsetDateTime,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "update webhook.queue set leased_until = $3, due_at = $3
         where holder = $1 and endpoint_id = any($2)
         returning endpoint_id",
        holder,
        endpoints,
        now + TERM,
    )
    .fetch_all(pool)
    .await
}

/// Gives endpoints back. Each is due again when its next delivery is, behind all that are due now. An endpoint whose lease has passed on is
/// left alone.
pub async fn release(
    pool: &PgPool,
    holder: Uuid,
    endpoints: &[Uuid],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    // Whoever adds a delivery updates the endpoint's row in the same transaction. Lock the row first, then read the deliveries in a second
    // statement: what was added before the lock is seen, and what is added after it lowers `due_at` again.
    let held = sqlx::query_scalar!(
        "select endpoint_id from webhook.queue where endpoint_id = any($1) and holder = $2 order by endpoint_id for update",
        endpoints,
        holder,
    );
    let held = held.fetch_all(&mut *transaction).await?;
    sqlx::query!(
        "update webhook.queue set holder = null, leased_until = null,
             due_at = (
                 select greatest(delivery.due_at, $2) from webhook.delivery
                 where delivery.endpoint_id = queue.endpoint_id and delivery.due_at is not null
                     and exists (select from webhook.endpoint where id = queue.endpoint_id and state = 'on')
                 order by delivery.due_at limit 1
             )
         where endpoint_id = any($1)",
        &held,
        now,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}

/// Gives back all that this replica holds: it stops.
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

/// When the next endpoint is due that is not due yet.
pub async fn next(
    pool: &PgPool,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    let next = sqlx::query_scalar!(
        "select due_at from webhook.queue where due_at > $1 order by due_at limit 1",
        now
    );
    Ok(next.fetch_optional(pool).await?.flatten())
}

/// Makes every endpoint due that has a delivery due, whatever its row says. Returns how many.
pub async fn sweep(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let swept = sqlx::query!(
        "update webhook.queue set due_at = least(queue.due_at, $1)
         from webhook.endpoint
         where endpoint.id = queue.endpoint_id and endpoint.state = 'on' and exists (
             select from webhook.delivery where delivery.endpoint_id = queue.endpoint_id and delivery.due_at <= $1
         )",
        now
    );
    Ok(swept.execute(pool).await?.rows_affected())
}

/// A delivery that is to be tried.
#[derive(Debug, Clone)]
pub struct DueDelivery {
    pub id: i64,
    pub message_id: Uuid,
    pub event: String,
    pub body: Vec<u8>,
    pub tries: i32,
    pub tries_left: i32,
    pub due_at: OffsetDateTime,
    /// Its listing is public, or it is a test.
    pub is_current: bool,
}

/// A place in an endpoint's deliveries, which are in the order in which they are due.
pub type Place = (OffsetDateTime, i64);

/// Begins a read of deliveries in the order of their index.
///
/// When most deliveries are done, the planner underestimates how many of an endpoint are due: it would read and sort the whole backlog for each
/// page.
pub const BEGIN_READ: &str = "begin read only; set local enable_bitmapscan = off";

/// Deliveries of an endpoint that are due, those after `after` first, without those in `held`.
pub async fn due(
    pool: &PgPool,
    endpoint: Uuid,
    after: Place,
    held: &[i64],
    most: i64,
    now: OffsetDateTime,
) -> Result<Vec<DueDelivery>, sqlx::Error> {
    let mut transaction = pool.begin_with(BEGIN_READ).await?;
    let due = sqlx::query_as!(
        DueDelivery,
        r#"select due.id, due.message_id, message.event, message.body, due.tries, due.tries_left, due.due_at as "due_at!",
               (message.listing_id is null or coalesce(listing.published, false)) as "is_current!"
           from (
               select id, message_id, tries, tries_left, due_at from webhook.delivery
               where endpoint_id = $1 and due_at is not null and due_at <= $2 and (due_at, id) > ($3, $4) and id <> all($5)
               order by due_at, id limit $6
           ) due
           join webhook.message on message.id = due.message_id
           left join webhook.listing on listing.kind = message.listing_kind and listing.id = message.listing_id
           order by due.due_at, due.id"#,
        endpoint,
        now,
        after.0,
        after.1,
        held,
        most,
    )
    .fetch_all(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(due)
}
