//! What an account has written today, and how much of it waits for a review.

use sqlx::PgConnection;
use time::Date;
use uuid::Uuid;

/// Accepted writes of one UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes {
    /// Which day.
    pub day: Date,
    /// How many.
    pub count: i32,
}

/// Locks the row of an account, which is made if there is none; `None` when somebody else has it locked.
pub async fn lock(
    connection: &mut PgConnection,
    account: Uuid,
    today: Date,
) -> Result<Option<Writes>, sqlx::Error> {
    if let Some(locked) = lock_present(connection, account).await? {
        return Ok(Some(locked));
    }
    sqlx::query!(
        "insert into listings.account (id, day, writes) values ($1, $2, 0) on conflict (id) do nothing",
        account,
        today
    )
    .execute(&mut *connection)
    .await?;
    lock_present(connection, account).await
}

async fn lock_present(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<Option<Writes>, sqlx::Error> {
    sqlx::query_as!(
        Writes,
        "select day, writes as count from listings.account where id = $1 for no key update skip locked",
        account
    )
    .fetch_optional(connection)
    .await
}

/// What an account has written, without a lock.
pub async fn find(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<Option<Writes>, sqlx::Error> {
    sqlx::query_as!(
        Writes,
        "select day, writes as count from listings.account where id = $1",
        account
    )
    .fetch_optional(connection)
    .await
}

/// Writes down what an account has written.
pub async fn save(
    connection: &mut PgConnection,
    account: Uuid,
    writes: Writes,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.account set day = $2, writes = $3 where id = $1",
        account,
        writes.day,
        writes.count
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// How many pages, games and events of an account wait for their review.
pub async fn waiting(connection: &mut PgConnection, account: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (
               select count(*) from listings.page where submitter = $1 and state = 'pending'
           ) + (
               select count(*) from listings.game where submitter = $1 and state = 'pending'
           ) + (
               select count(*) from listings.event where submitter = $1 and state = 'pending'
           ) as "waiting!""#,
        account
    )
    .fetch_one(connection)
    .await
}
