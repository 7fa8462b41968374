//! Members of the staff.

use kit::rpc::staff::{Member, Role};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

/// A member as the others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Never given a second time.
    pub name: String,
    /// What the member may do.
    pub role: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// By whom.
    pub created_by: String,
    /// When its token ended.
    pub revoked_at: Option<OffsetDateTime>,
}

/// Whose token has this SHA-256, unless it has ended.
pub async fn find(pool: &PgPool, token_sha256: &[u8]) -> Result<Option<Member>, sqlx::Error> {
    let row = sqlx::query!(
        "select name, role from listings.staff_member where token_sha256 = $1 and revoked_at is null",
        token_sha256
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.and_then(|row| {
        Some(Member {
            role: Role::parse(&row.role)?,
            name: row.name,
        })
    }))
}

/// Makes a member; false when the name was given before.
pub async fn create(
    connection: &mut PgConnection,
    (name, role): (&str, Role),
    token_sha256: &[u8],
    by: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let made = sqlx::query!(
        "insert into listings.staff_member (name, role, token_sha256, created_at, created_by)
         values ($1, $2, $3, $4, $5) on conflict (name) do nothing",
        name,
        role.as_str(),
        token_sha256,
        now,
        by
    )
    .execute(connection)
    .await?;
    Ok(made.rows_affected() > 0)
}

/// All members by name, those too whose tokens have ended. They are few.
pub async fn list(pool: &PgPool) -> Result<Vec<MemberRow>, sqlx::Error> {
    sqlx::query_as!(
        MemberRow,
        "select name, role, created_at, created_by, revoked_at from listings.staff_member order by name"
    )
    .fetch_all(pool)
    .await
}

/// Holds all members until the end of the transaction: whether somebody is the last admin must not change under a decision.
pub async fn lock(connection: &mut PgConnection) -> Result<Vec<MemberRow>, sqlx::Error> {
    sqlx::query_as!(
        MemberRow,
        "select name, role, created_at, created_by, revoked_at from listings.staff_member order by name for update"
    )
    .fetch_all(connection)
    .await
}

/// A member of the staff, who is there.
pub async fn get(connection: &mut PgConnection, name: &str) -> Result<MemberRow, sqlx::Error> {
    sqlx::query_as!(
        MemberRow,
        "select name, role, created_at, created_by, revoked_at from listings.staff_member where name = $1",
        name
    )
    .fetch_one(connection)
    .await
}

/// Gives a member another role.
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

/// Ends a member's token.
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
