//! `web.month_notice`: mails about the share of an account's month that is used. A limit that has changed has mails of its own.

use std::collections::HashSet;

use sqlx::{PgExecutor, PgPool};
use time::Date;
use uuid::Uuid;

/// The limits of these accounts, and the shares in percent, that were announced in a month.
pub async fn announced(
    pool: &PgPool,
    month: Date,
    accounts: &[Uuid],
) -> Result<HashSet<(Uuid, i64, i16)>, sqlx::Error> {
    let rows = sqlx::query!(
        "select account_id, call_limit, percent from web.month_notice where month = $1 and account_id = any ($2)",
        month,
        accounts,
    );
    let rows = rows.fetch_all(pool).await?.into_iter();
    let keys = rows.map(|row| (row.account_id, row.call_limit, row.percent));
    Ok(keys.collect())
}

/// Records mails about shares; returns the shares that had no mail before.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    (month, limit): (Date, i64),
    percents: &[i16],
) -> Result<Vec<i16>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into web.month_notice (account_id, month, call_limit, percent) select $1, $2, $3, unnest($4::smallint[])
         on conflict do nothing returning percent",
        account,
        month,
        limit,
        percents,
    )
    .fetch_all(executor)
    .await
}

/// Removes records of months before this one.
pub async fn remove_before(pool: &PgPool, month: Date) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.month_notice where month < $1", month);
    Ok(removed.execute(pool).await?.rows_affected())
}
