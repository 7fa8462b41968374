//! The table `gateway.account`.

use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use crate::domain::account::Account;

macro_rules! accounts {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            Account,
            "select id, name, plan, created_at, revision from gateway.account where " + $where,
            $($argument),+
        )
    };
}

/// Inserts an account. Returns false if there is one with the id.
pub async fn insert(connection: &mut PgConnection, account: &Account) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into gateway.account (id, name, plan, created_at, revision)
         values ($1, $2, $3, $4, $5)
         on conflict do nothing",
        account.id,
        account.name,
        account.plan,
        account.created_at,
        account.revision,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Locks an account, either to update it or to serialize changes with a limit per account.
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<Account>, sqlx::Error> {
    accounts!("id = $1 for update", id).fetch_optional(connection).await
}

/// Updates all fields that can change.
pub async fn update(connection: &mut PgConnection, account: &Account) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.account set name = $2, plan = $3, revision = $4 where id = $1",
        account.id,
        account.name,
        account.plan,
        account.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn find(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Account>, sqlx::Error> {
    accounts!("id = $1", id).fetch_optional(executor).await
}

/// The names of accounts, in the order of their ids. Accounts that do not exist are left out.
pub async fn names(pool: &PgPool, ids: &[Uuid]) -> Result<Vec<(Uuid, String)>, sqlx::Error> {
    let rows =
        sqlx::query!("select id, name from gateway.account where id = any($1) order by id", ids)
            .fetch_all(pool)
            .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// Up to `limit` accounts after the id `after`, in the order of their ids.
pub async fn page(
    pool: &PgPool,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Account>, sqlx::Error> {
    accounts!("id > $1 order by id limit $2", after.unwrap_or(Uuid::nil()), limit)
        .fetch_all(pool)
        .await
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
