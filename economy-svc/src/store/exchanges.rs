//! `economy.exchange`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    pub name: String,
    pub created_at: OffsetDateTime,
    pub created_by: String,
    pub revoked_at: Option<OffsetDateTime>,
}

/// Returns false when the name is or was in use.
pub async fn create(
    connection: &mut PgConnection,
    name: &str,
    token_sha256: &[u8],
    by: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let created = sqlx::query!(
        "insert into economy.exchange (name, token_sha256, created_at, created_by) values ($1, $2, $3, $4)
         on conflict (name) do nothing",
        name,
        token_sha256,
        now,
        by
    )
    .execute(connection)
    .await?;
    Ok(created.rows_affected() > 0)
}

/// Revokes the token of an exchange; returns false when it is revoked already, or there is no such exchange.
pub async fn revoke(
    connection: &mut PgConnection,
    name: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let revoked = sqlx::query!(
        "update economy.exchange set revoked_at = $2 where name = $1 and revoked_at is null",
        name,
        now
    )
    .execute(connection)
    .await?;
    Ok(revoked.rows_affected() > 0)
}

/// Exchanges by name, after the one with the name `after`.
pub async fn list(
    pool: &PgPool,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<Exchange>, sqlx::Error> {
    sqlx::query_as!(
        Exchange,
        "select name, created_at, created_by, revoked_at from economy.exchange
         where $1::text is null or name > $1 order by name limit $2",
        after,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The exchange with this name.
pub async fn find_named(pool: &PgPool, name: &str) -> Result<Option<Exchange>, sqlx::Error> {
    sqlx::query_as!(
        Exchange,
        "select name, created_at, created_by, revoked_at from economy.exchange where name = $1",
        name
    )
    .fetch_optional(pool)
    .await
}

/// The name of the exchange with this token, unless it is revoked.
pub async fn find(pool: &PgPool, token_sha256: &[u8]) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select name from economy.exchange where token_sha256 = $1 and revoked_at is null",
        token_sha256
    )
    .fetch_optional(pool)
    .await
}
