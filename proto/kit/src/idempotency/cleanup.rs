//! Deletes stored responses that have expired (§10.4).

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;

use super::RETENTION;
use crate::api::fault::Fault;
use crate::jobs::Leader;
use crate::pg::Schema;

/// How often expired responses are deleted. An expired response is not replayed, whether it is deleted or not.
const INTERVAL: Duration = Duration::from_hours(1);
/// Rows deleted in one statement.
const BATCH: i64 = 1_000;

/// Adds the job that deletes expired responses.
pub fn spawn_cleanup(leader: &Leader) {
    let (pool, schema) = (leader.pool.clone(), leader.schema);
    leader.spawn_periodic("idempotency cleanup", INTERVAL, move |now| {
        let pool = pool.clone();
        async move { Ok(delete_expired(&pool, schema, now).await?) }
    });
}

/// Deletes the responses that have expired at `now`; returns how many.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn delete_expired(
    pool: &PgPool,
    schema: Schema,
    now: OffsetDateTime,
) -> Result<u64, Fault> {
    let sql = "delete from kit.idempotency where (account_id, route, key) in (
             select account_id, route, key from kit.idempotency where at <= $1 order by at limit $2 for update skip locked
         )";
    let mut deleted = 0;
    loop {
        let deleting = schema.query(sql).bind(now - RETENTION).bind(BATCH);
        let batch = deleting.execute(pool).await?.rows_affected();
        deleted += batch;
        if batch < BATCH.unsigned_abs() {
            return Ok(deleted);
        }
    }
}
