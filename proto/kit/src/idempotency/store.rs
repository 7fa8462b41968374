//! The table `idempotency` of a service's schema.

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use super::Name;
use crate::pg::Schema;

/// How long an answer is stored.
const STORED: Duration = Duration::hours(24);

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Stored {
    /// Of the body that was answered so.
    pub(super) body_sha256: Vec<u8>,
    /// The answer.
    pub(super) answer: Value,
}

/// The answer to a call, if it is still stored.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn find(
    connection: &mut PgConnection,
    schema: Schema,
    name: &Name,
    now: OffsetDateTime,
) -> Result<Option<Stored>, sqlx::Error> {
    let sql = format!(
        "select body_sha256, answer from {schema}.idempotency
         where account_id = $1 and route = $2 and key = $3 and at > $4"
    );
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(name.account)
        .bind(&*name.route)
        .bind(&name.key)
        .bind(now - STORED)
        .fetch_optional(connection)
        .await
}

/// Stores an answer. One that is older than it may be makes way.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn save(
    connection: &mut PgConnection,
    schema: Schema,
    name: &Name,
    stored: &Stored,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "insert into {schema}.idempotency (account_id, route, key, body_sha256, answer, at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (account_id, route, key) do update set
             body_sha256 = excluded.body_sha256, answer = excluded.answer, at = excluded.at"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(name.account)
        .bind(&*name.route)
        .bind(&name.key)
        .bind(&stored.body_sha256)
        .bind(&stored.answer)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Forgets up to `most` answers that are older than they may be; returns how many.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn forget(
    pool: &PgPool,
    schema: Schema,
    now: OffsetDateTime,
    most: i64,
) -> Result<u64, sqlx::Error> {
    let sql = format!(
        "delete from {schema}.idempotency where (account_id, route, key) in (
             select account_id, route, key from {schema}.idempotency where at <= $1 order by at limit $2 for update skip locked
         )"
    );
    let done = sqlx::query(AssertSqlSafe(sql))
        .bind(now - STORED)
        .bind(most)
        .execute(pool)
        .await?;
    Ok(done.rows_affected())
}
