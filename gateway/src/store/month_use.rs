//! The month's use: a copy of what Redis counts, and calls that Redis is still to be told of.

use std::collections::HashMap;

use sqlx::PgConnection;
use time::Date;
use uuid::Uuid;

use crate::domain::quota::{AccountMonth, Month};

/// Calls of a month that Redis was not there for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// By it they are added once.
    pub id: Uuid,
    /// What they count for.
    pub month: AccountMonth,
    /// How many; fewer than none when calls were given back.
    pub calls: i64,
}

/// Writes what Redis has counted. What is there is never lowered: the numbers of several gateways come in any order.
pub async fn write(
    connection: &mut PgConnection,
    used: impl IntoIterator<Item = (AccountMonth, u64)>,
) -> Result<(), sqlx::Error> {
    let used = used.into_iter();
    let mut rows: Vec<(AccountMonth, i64)> = used
        .map(|(month, used)| (month, used.cast_signed()))
        .collect();
    // In one order at all gateways, so that none waits for another that waits for it.
    rows.sort_unstable();
    let (accounts, months) = columns(rows.iter().map(|(month, _)| *month));
    let used: Vec<i64> = rows.iter().map(|(_, used)| *used).collect();
    sqlx::query!(
        "insert into gateway.month_use as held (account_id, month, used)
         select * from unnest($1::uuid[], $2::date[], $3::bigint[])
         on conflict (account_id, month) do update set used = greatest(held.used, excluded.used)
         where held.used < excluded.used",
        &accounts,
        &months,
        &used,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads months; those that nobody has written are left out.
pub async fn read(
    connection: &mut PgConnection,
    months: &[AccountMonth],
) -> Result<HashMap<AccountMonth, u64>, sqlx::Error> {
    let (accounts, days) = columns(months.iter().copied());
    let rows = sqlx::query!(
        "select held.account_id, held.month, held.used
         from unnest($1::uuid[], $2::date[]) as asked (account_id, month)
         join gateway.month_use as held using (account_id, month)",
        &accounts,
        &days,
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| {
            (
                account_month(row.account_id, row.month),
                row.used.cast_unsigned(),
            )
        })
        .collect())
}

/// Keeps calls until Redis is told of them; a row that is there already stays.
pub async fn keep_owed(connection: &mut PgConnection, owed: &[Owed]) -> Result<(), sqlx::Error> {
    let ids: Vec<Uuid> = owed.iter().map(|one| one.id).collect();
    let (accounts, months) = columns(owed.iter().map(|one| one.month));
    let calls: Vec<i64> = owed.iter().map(|one| one.calls).collect();
    sqlx::query!(
        "insert into gateway.month_owed (id, account_id, month, calls)
         select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::bigint[])
         on conflict (id) do nothing",
        &ids,
        &accounts,
        &months,
        &calls,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Calls that Redis is to be told of, `most` rows at once, the oldest first.
pub async fn owed(connection: &mut PgConnection, most: i64) -> Result<Vec<Owed>, sqlx::Error> {
    let rows = sqlx::query!(
        "select id, account_id, month, calls from gateway.month_owed order by id limit $1",
        most,
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| Owed {
            id: row.id,
            month: account_month(row.account_id, row.month),
            calls: row.calls,
        })
        .collect())
}

/// Forgets calls that Redis was told of.
pub async fn settle(connection: &mut PgConnection, ids: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from gateway.month_owed where id = any ($1)", ids)
        .execute(connection)
        .await?;
    Ok(())
}

fn columns(months: impl Iterator<Item = AccountMonth>) -> (Vec<Uuid>, Vec<Date>) {
    months
        .map(|month| (month.account, month.month.first_day()))
        .unzip()
}

fn account_month(account: Uuid, first_day: Date) -> AccountMonth {
    AccountMonth {
        account,
        month: Month::starting(first_day),
    }
}
