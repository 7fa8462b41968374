//! Members of the staff.

use kit::rpc::directory::TokenHash;
use kit::rpc::staff::{Member, Role};
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Never reused.
    pub name: String,
    pub role: String,
    pub created_at: OffsetDateTime,
    pub created_by: String,
    pub revoked_at: Option<OffsetDateTime>,
    /// When the token expires.
    pub expires_at: OffsetDateTime,
}

/// Selects members by the end of a statement.
macro_rules! select_members {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            MemberRow,
            "select name, role, created_at, created_by, revoked_at, expires_at from listings.staff_member " + $rest
            $(, $argument)*
        )
    };
}

/// A token that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenOwner {
    Valid(Member),
    /// The token of the member with this name, at this time.
    Expired(String, OffsetDateTime),
}

/// Finds the member whose token has this SHA-256, unless the token is revoked.
pub async fn find(
    pool: &PgPool,
    token_sha256: &[u8],
    now: OffsetDateTime,
) -> Result<Option<TokenOwner>, sqlx::Error> {
    let row = sqlx::query!(
        "select name, role, expires_at from listings.staff_member where token_sha256 = $1 and revoked_at is null",
        token_sha256
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.and_then(|row| {
        if row.expires_at <= now {
            return Some(TokenOwner::Expired(row.name, row.expires_at));
        }
        Some(TokenOwner::Valid(Member {
            role: row.role.parse().ok()?,
            name: row.name,
        }))
    }))
}

/// A token as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct NewToken {
    pub hash: TokenHash,
    pub expires_at: OffsetDateTime,
}

/// Inserts a member; false when the name was used before.
pub async fn create(
    connection: &mut PgConnection,
    name: &str,
    role: Role,
    token: NewToken,
    by: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let made = sqlx::query!(
        "insert into listings.staff_member (name, role, token_sha256, expires_at, created_at, created_by)
         values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing",
        name,
        role.as_str(),
        token.hash.as_slice(),
        token.expires_at,
        now,
        by
    )
    .execute(connection)
    .await?;
    Ok(made.rows_affected() > 0)
}

/// All members by name, the revoked ones included. They are few.
pub async fn list(pool: &PgPool) -> Result<Vec<MemberRow>, sqlx::Error> {
    select_members!("order by name").fetch_all(pool).await
}

/// Locks all members until the end of the transaction.
pub async fn lock(connection: &mut PgConnection) -> Result<Vec<MemberRow>, sqlx::Error> {
    select_members!("order by name for update nowait")
        .fetch_all(connection)
        .await
}

/// The member with this name; `None` for the operator, who is no row.
pub async fn find_by_name(
    executor: impl PgExecutor<'_>,
    name: &str,
) -> Result<Option<MemberRow>, sqlx::Error> {
    select_members!("where name = $1", name)
        .fetch_optional(executor)
        .await
}

pub async fn set_role(
    connection: &mut PgConnection,
    name: &str,
    role: Role,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.staff_member set role = $2 where name = $1",
        name,
        role.as_str()
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn revoke(
    connection: &mut PgConnection,
    name: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.staff_member set revoked_at = $2 where name = $1",
        name,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Replaces the token of a member.
pub async fn set_token(
    connection: &mut PgConnection,
    name: &str,
    token: NewToken,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.staff_member set token_sha256 = $2, expires_at = $3 where name = $1",
        name,
        token.hash.as_slice(),
        token.expires_at
    )
    .execute(connection)
    .await?;
    Ok(())
}
