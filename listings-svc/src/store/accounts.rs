//! Counts the writes of an account per day, and its pending submissions.

use sqlx::{PgConnection, PgExecutor};
use time::Date;
use uuid::Uuid;

/// Locks the row of an account, inserts it if there is none, and adds `added` to the writes of this UTC day. Returns the sum.
///
/// A transaction that began before midnight may lock the row after a transaction of the next day.
/// Its writes then count for that day.
pub async fn lock(
    connection: &mut PgConnection,
    account: Uuid,
    today: Date,
    added: i32,
) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into listings.account (id, day, writes) values ($1, $2, $3)
         on conflict (id) do update set
             day = greatest(account.day, excluded.day),
             writes = case when account.day >= excluded.day then account.writes else 0 end + excluded.writes
         returning writes",
        account,
        today,
        added
    )
    .fetch_one(connection)
    .await
}

/// The writes of an account on this day, without a lock, as [`lock`] counts them.
pub async fn writes_on(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    today: Date,
) -> Result<i32, sqlx::Error> {
    let written = sqlx::query_scalar!(
        "select writes from listings.account where id = $1 and day >= $2",
        account,
        today
    )
    .fetch_optional(executor)
    .await?;
    Ok(written.unwrap_or(0))
}

/// Number of pages that an account has submitted and that the public never saw.
pub async fn count_unpublished_pages(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing
           where submitter = $1 and entity = 'page' and first_published_at is null"#,
        account
    )
    .fetch_one(connection)
    .await
}

/// Number of pending listings that an account has submitted, and still owns.
pub async fn count_pending(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing
           where submitter = $1 and state = 'pending' and (
               entity = 'event'
               or coalesce(page_id, id) in (select page_id from listings.page_owner where account_id = $1)
           )"#,
        account
    )
    .fetch_one(connection)
    .await
}
