//! The table `idempotency` of a service's schema.

use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use super::CallId;
use crate::pg::Schema;

/// How long a response is replayed.
const RETENTION: Duration = Duration::hours(24);

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct StoredResponse {
    /// The hash of the body that got this response.
    pub(super) body_sha256: Vec<u8>,
    #[sqlx(rename = "answer")]
    pub(super) response: Value,
}

/// The response to a call, unless it has expired.
pub(super) async fn find(
    connection: &mut PgConnection,
    schema: Schema,
    call: &CallId,
    now: OffsetDateTime,
) -> Result<Option<StoredResponse>, sqlx::Error> {
    let sql = "select body_sha256, answer from kit.idempotency
         where account_id = $1 and route = $2 and key = $3 and at > $4";
    schema
        .query_as(sql)
        .bind(call.account)
        .bind(&*call.route)
        .bind(&call.key)
        .bind(now - RETENTION)
        .fetch_optional(connection)
        .await
}

/// Stores a response, in place of an expired one.
pub(super) async fn upsert(
    connection: &mut PgConnection,
    schema: Schema,
    call: &CallId,
    stored: &StoredResponse,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = "insert into kit.idempotency (account_id, route, key, body_sha256, answer, at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (account_id, route, key) do update set
             body_sha256 = excluded.body_sha256, answer = excluded.answer, at = excluded.at";
    schema
        .query(sql)
        .bind(call.account)
        .bind(&*call.route)
        .bind(&call.key)
        .bind(&stored.body_sha256)
        .bind(&stored.response)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes up to `limit` expired responses; returns how many.
pub(super) async fn delete_expired(
    pool: &PgPool,
    schema: Schema,
    now: OffsetDateTime,
    limit: i64,
) -> Result<u64, sqlx::Error> {
    let sql = "delete from kit.idempotency where (account_id, route, key) in (
             select account_id, route, key from kit.idempotency where at <= $1 order by at limit $2 for update skip locked
         )";
    let deleted = schema
        .query(sql)
        .bind(now - RETENTION)
        .bind(limit)
        .execute(pool)
        .await?;
    Ok(deleted.rows_affected())
}
