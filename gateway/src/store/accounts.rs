//! The table `gateway.account`.

use kit::pg::RowLock;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::{Account, Identifier};

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

/// Splits an identifier into the two parameters of a query.
fn columns(identifier: &Identifier) -> (Option<Uuid>, Option<&str>) {
    match identifier {
        Identifier::Id(id) => (Some(*id), None),
        Identifier::Email(email) => (None, Some(email)),
    }
}

/// Inserts an account. Returns false if there is one with the address or the id.
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

/// Locks an account, either to update it or to serialize what is limited per account.
pub async fn lock(
    connection: &mut PgConnection,
    identifier: &Identifier,
) -> Result<RowLock<Account>, sqlx::Error> {
    let (id, email) = columns(identifier);
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
        return Ok(RowLock::new(row.map(Into::into), true));
    }
    let exists = sqlx::query_scalar!(
        r#"select exists (select from gateway.account where id = $1 or lower(email) = lower($2)) as "exists!""#,
        id,
        email,
    )
    .fetch_one(connection)
    .await?;
    Ok(RowLock::new(None, exists))
}

/// Updates everything that can change. Returns false if another account has the address; the savepoint of the caller is then lost.
pub async fn update(connection: &mut PgConnection, account: &Account) -> Result<bool, sqlx::Error> {
    let updated = sqlx::query!(
        "update gateway.account set name = $2, email = $3, plan = $4, revision = $5 where id = $1",
        account.id,
        account.name,
        account.email,
        account.plan,
        account.revision,
    )
    .execute(connection)
    .await;
    match updated {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Ok(false),
        Err(error) => Err(error),
    }
}

pub async fn find(pool: &PgPool, identifier: &Identifier) -> Result<Option<Account>, sqlx::Error> {
    let (id, email) = columns(identifier);
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

/// Up to `limit` accounts after the id `after`, oldest first.
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

/// Plans of accounts that are not among `known`.
pub async fn plans_not_in(pool: &PgPool, known: &[String]) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select distinct plan from gateway.account where plan <> all ($1) order by plan",
        known,
    )
    .fetch_all(pool)
    .await
}
