//! `webhook.waiting`: the deliveries that are not finished.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::queue::Claim;

/// A row of `webhook.waiting` that is due.
#[derive(Debug, Clone, Copy)]
pub struct DueRow {
    pub id: i64,
    pub message_id: Uuid,
    pub attempts: i32,
    pub attempts_left: i32,
    pub due_at: OffsetDateTime,
}

/// A position in an endpoint's deliveries, ordered by `(due_at, id)`.
pub type Cursor = (OffsetDateTime, i64);

/// Begins a read of deliveries in the order of their index.
///
/// The length of the table changes faster than its statistics: the planner could read and sort the whole backlog for each page.
pub(super) const BEGIN_READ: &str = "begin read only; set local enable_bitmapscan = off";

/// Up to `limit` due deliveries of an endpoint after the cursor.
pub async fn due(
    pool: &PgPool,
    endpoint: Uuid,
    after: Cursor,
    limit: i64,
    now: OffsetDateTime,
) -> Result<Vec<DueRow>, sqlx::Error> {
    let mut transaction = kit::pg::begin_with(pool, BEGIN_READ).await?;
    let due = sqlx::query_as!(
        DueRow,
        r#"select id, message_id, attempts, attempts_left, due_at from webhook.waiting
           where endpoint_id = $1 and due_at <= $2 and (due_at, id) > ($3, $4)
           order by due_at, id limit $5"#,
        endpoint,
        now,
        after.0,
        after.1,
        limit,
    )
    .fetch_all(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(due)
}

/// Makes deliveries of a claimed endpoint due at `until`, without an attempt. Does nothing when another replica has claimed the endpoint.
pub async fn postpone(
    pool: &PgPool,
    holder: Uuid,
    claim: Claim,
    ids: &[i64],
    until: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook.waiting set due_at = $5
         where endpoint_id = $2 and id = any($4)
             and $3 = (select token from webhook.queue where endpoint_id = $2 and holder = $1)",
        holder,
        claim.endpoint,
        claim.token,
        ids,
        until,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Serializes the transactions that make finished deliveries of an endpoint wait again: each reads after the one before has ended.
pub async fn lock_resends(
    connection: &mut PgConnection,
    endpoint: Uuid,
) -> Result<(), sqlx::Error> {
    kit::pg::lock_key(connection, &endpoint.to_string()).await
}

/// Waiting deliveries that are counted: a backlog may be very long, and is counted in each response about its endpoint.
pub const MAX_BACKLOG: i64 = 10_000;

/// The waiting deliveries of an endpoint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backlog {
    /// [`MAX_BACKLOG`] at most.
    pub count: i64,
    /// When the oldest was created, whichever is due first: ids are in the order of creation.
    pub since: Option<OffsetDateTime>,
}

/// The backlogs of these endpoints, in their order.
pub async fn backlogs(
    executor: impl PgExecutor<'_>,
    endpoints: &[Uuid],
) -> Result<Vec<Backlog>, sqlx::Error> {
    sqlx::query_as!(
        Backlog,
        r#"select (
               select count(*) from (select from webhook.waiting where endpoint_id = endpoint.id limit $2) as counted
           ) as "count!", (
               select created_at from webhook.waiting where endpoint_id = endpoint.id order by id limit 1
           ) as since
           from unnest($1::uuid[]) with ordinality as endpoint (id, place) order by place"#,
        endpoints,
        MAX_BACKLOG
    )
    .fetch_all(executor)
    .await
}

/// The number of waiting test deliveries of an endpoint, `limit` at most.
pub async fn count_tests(
    executor: impl PgExecutor<'_>,
    endpoint: Uuid,
    limit: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from (select from webhook.waiting where endpoint_id = $1 and is_test limit $2) as counted"#,
        endpoint,
        limit
    )
    .fetch_one(executor)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[testing::database_test(crate::MIGRATOR)]
    async fn each_endpoint_has_its_own_backlog(pool: PgPool) {
        let [idle, busy] = [1, 2].map(Uuid::from_u128);
        let now = OffsetDateTime::UNIX_EPOCH;
        sqlx::query!(
            "insert into webhook.waiting (endpoint_id, message_id, created_at, due_at) values ($1, $2, $3, $3)",
            busy,
            Uuid::nil(),
            now
        )
        .execute(&pool)
        .await
        .unwrap();
        for endpoints in [[idle, busy], [busy, idle]] {
            let found = backlogs(&pool, &endpoints).await.unwrap();
            let counts: Vec<_> = found.iter().map(|it| (it.count, it.since)).collect();
            let expected = endpoints.map(|id| if id == busy { (1, Some(now)) } else { (0, None) });
            assert_eq!(counts, expected);
        }
    }
}
