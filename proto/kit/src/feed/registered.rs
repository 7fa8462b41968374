//! Followers that compaction waits for.

use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, PgConnection};
use time::OffsetDateTime;

use super::Position;
use crate::pg::Schema;

/// Says that `follower` is there. Returns whether it is registered; compaction does not forget it from here on.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn touch(
    connection: &mut PgConnection,
    schema: Schema,
    follower: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let sql = format!(
        "update {schema}.feed_follower set seen_at = $2, expires_at = null where name = $1"
    );
    let touched = sqlx::query(AssertSqlSafe(sql))
        .bind(follower)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(touched.rows_affected() == 1)
}

/// Registers `follower` at `position`, wherever it was before.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn register(
    connection: &mut PgConnection,
    schema: Schema,
    follower: &str,
    position: Position,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "insert into {schema}.feed_follower (name, epoch, seq, seen_at) values ($1, $2, $3, $4)
         on conflict (name) do update set epoch = excluded.epoch, seq = excluded.seq, seen_at = excluded.seen_at,
             expires_at = null"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(follower)
        .bind(position.epoch)
        .bind(position.seq)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Notes how far `follower` has come. `false`: it is not registered, for compaction has forgotten it.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn acknowledge(
    pool: &PgPool,
    schema: Schema,
    follower: &str,
    position: Position,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let sql = format!(
        "update {schema}.feed_follower set epoch = $2, seq = $3, seen_at = $4, expires_at = null where name = $1"
    );
    let noted = sqlx::query(AssertSqlSafe(sql))
        .bind(follower)
        .bind(position.epoch)
        .bind(position.seq)
        .bind(now)
        .execute(pool)
        .await?;
    Ok(noted.rows_affected() == 1)
}

/// Forgets followers that have been silent since `since`, in two steps: one that is connected says so within `grace`, even after the
/// clock has jumped.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn forget(
    pool: &PgPool,
    schema: Schema,
    since: OffsetDateTime,
    now: OffsetDateTime,
    grace: time::Duration,
) -> Result<(), sqlx::Error> {
    let forget = format!("delete from {schema}.feed_follower where expires_at <= $1");
    sqlx::query(AssertSqlSafe(forget))
        .bind(now)
        .execute(pool)
        .await?;
    let doubt = format!(
        "update {schema}.feed_follower set expires_at = $2 where seen_at < $1 and expires_at is null"
    );
    sqlx::query(AssertSqlSafe(doubt))
        .bind(since)
        .bind(now + grace)
        .execute(pool)
        .await?;
    Ok(())
}
