//! `web.used_link`: used links, kept until their expiry. A second use has no effect: it is answered
//! as the first one was, or the page says that the link was used.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::link::Purpose;
use crate::domain::session_token::TokenHash;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedLink {
    pub purpose: Purpose,
    /// Where the link was mailed to.
    pub email: String,
    /// The person who used it, or whom it has made.
    pub person: Uuid,
    /// The account that the person made or joined with it.
    pub account: Option<Uuid>,
    /// The expiry that it had before it was used.
    pub expires_at: OffsetDateTime,
}

pub async fn insert(
    executor: impl PgExecutor<'_>,
    token: TokenHash,
    used: &UsedLink,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "insert into web.used_link (token_sha256, purpose, email, person_id, account_id, expires_at)
         values ($1, $2, $3, $4, $5, $6)",
        &token.0[..],
        used.purpose.as_str(),
        used.email,
        used.person,
        used.account,
        used.expires_at,
    );
    query.execute(executor).await?;
    Ok(())
}

/// The used link with this token; `None` too for a purpose of a newer version.
pub async fn find(
    executor: impl PgExecutor<'_>,
    token: TokenHash,
    now: OffsetDateTime,
) -> Result<Option<UsedLink>, sqlx::Error> {
    let query = sqlx::query!(
        "select purpose, email, person_id, account_id, expires_at from web.used_link
         where token_sha256 = $1 and expires_at > $2",
        &token.0[..],
        now,
    );
    let row = query.fetch_optional(executor).await?;
    Ok(row.and_then(|row| {
        Some(UsedLink {
            purpose: row.purpose.parse().ok()?,
            email: row.email,
            person: row.person_id,
            account: row.account_id,
            expires_at: row.expires_at,
        })
    }))
}

/// Removes used links after their expiry; returns their number.
pub async fn remove_expired(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.used_link where expires_at <= $1", now);
    Ok(removed.execute(pool).await?.rows_affected())
}
