//! `web.closed_account`: accounts whose last member was deleted.

use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into web.closed_account (account_id, closed_at) values ($1, $2) on conflict do nothing",
        account,
        now,
    )
    .execute(executor)
    .await?;
    Ok(())
}

pub async fn contains(executor: impl PgExecutor<'_>, account: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from web.closed_account where account_id = $1) as "exists!""#,
        account,
    )
    .fetch_one(executor)
    .await
}
