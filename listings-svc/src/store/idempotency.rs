//! Answers that are kept for the same call when it comes again (§10.4).

use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long an answer is kept.
pub const KEPT: Duration = Duration::hours(24);

/// Which call an answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// Whose call it is.
    pub account: Uuid,
    /// Such as `POST /games`.
    pub route: &'static str,
    /// As the caller sent it.
    pub key: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Of the body that was answered so.
    pub body_sha256: Vec<u8>,
    /// The answer.
    pub answer: Value,
}

/// The answer to a call, if it is still kept.
pub async fn find(
    connection: &mut PgConnection,
    name: &Name,
    now: OffsetDateTime,
) -> Result<Option<Kept>, sqlx::Error> {
    sqlx::query_as!(
        Kept,
        "select body_sha256, answer from listings.idempotency
         where account_id = $1 and route = $2 and key = $3 and at > $4",
        name.account,
        name.route,
        name.key,
        now - KEPT
    )
    .fetch_optional(connection)
    .await
}

/// Keeps an answer. One that is older than it may be makes way.
pub async fn save(
    connection: &mut PgConnection,
    name: &Name,
    kept: &Kept,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.idempotency (account_id, route, key, body_sha256, answer, at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (account_id, route, key) do update set
             body_sha256 = excluded.body_sha256, answer = excluded.answer, at = excluded.at",
        name.account,
        name.route,
        name.key,
        kept.body_sha256,
        kept.answer,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Forgets up to `most` answers that are older than they may be; returns how many.
pub async fn forget(pool: &PgPool, now: OffsetDateTime, most: i64) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "delete from listings.idempotency where (account_id, route, key) in (
             select account_id, route, key from listings.idempotency where at <= $1 order by at limit $2 for update skip locked
         )",
        now - KEPT,
        most
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}
