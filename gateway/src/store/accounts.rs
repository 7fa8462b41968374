//! Accounts.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Locked;
use crate::domain::account::{Account, Named};

struct Row {
    id: Uuid,
    name: String,
    email: String,
    plan: String,
    created_at: OffsetDateTime,
    revision: i64,
}

impl From<Row> for Account {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            email: row.email,
            plan: row.plan,
            created_at: row.created_at,
            revision: row.revision,
        }
    }
}

/// The id and the e-mail address to look for; one of them is absent.
fn parts(named: &Named) -> (Option<Uuid>, Option<&str>) {
    match named {
        Named::Id(id) => (Some(*id), None),
        Named::Email(email) => (None, Some(email)),
    }
}

/// Adds an account; false when another has its address.
pub async fn insert(connection: &mut PgConnection, account: &Account) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into gateway.account (id, name, email, plan, created_at, revision)
         values ($1, $2, $3, $4, $5, $6)
         on conflict do nothing",
        account.id,
        account.name,
        account.email,
        account.plan,
        account.created_at,
        account.revision,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes an account to change it, or to hold still what counts by account.
pub async fn lock(
    connection: &mut PgConnection,
    named: &Named,
) -> Result<Locked<Account>, sqlx::Error> {
    let (id, email) = parts(named);
    let row = sqlx::query_as!(
        Row,
        "select id, name, email, plan, created_at, revision from gateway.account
         where id = $1 or lower(email) = lower($2)
         for update skip locked",
        id,
        email,
    )
    .fetch_optional(&mut *connection)
    .await?;
    if row.is_some() {
        return Ok(Locked::new(row.map(Into::into), true));
    }
    let exists = sqlx::query_scalar!(
        r#"select exists (select from gateway.account where id = $1 or lower(email) = lower($2)) as "exists!""#,
        id,
        email,
    )
    .fetch_one(connection)
    .await?;
    Ok(Locked::new(None, exists))
}

/// Keeps an account's new plan and revision.
pub async fn save(connection: &mut PgConnection, account: &Account) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.account set plan = $2, revision = $3 where id = $1",
        account.id,
        account.plan,
        account.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// One account.
pub async fn find(pool: &PgPool, named: &Named) -> Result<Option<Account>, sqlx::Error> {
    let (id, email) = parts(named);
    let row = sqlx::query_as!(
        Row,
        "select id, name, email, plan, created_at, revision from gateway.account
         where id = $1 or lower(email) = lower($2)",
        id,
        email,
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(Into::into))
}

/// At most `limit` accounts after the one with id `after`, oldest first.
pub async fn page(
    pool: &PgPool,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Account>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        "select id, name, email, plan, created_at, revision from gateway.account
         where id > $1 order by id limit $2",
        after.unwrap_or(Uuid::nil()),
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Names of plans that accounts are on and that `known` lacks.
pub async fn plans_beside(pool: &PgPool, known: &[String]) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select distinct plan from gateway.account where plan <> all ($1) order by plan",
        known,
    )
    .fetch_all(pool)
    .await
}
