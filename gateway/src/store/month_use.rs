//! The table `gateway.month_use`: a copy of the counts in Redis.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::Date;
use uuid::Uuid;

use crate::domain::month::{AccountMonth, Month};

/// An account with its calls of a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUse {
    pub account_id: Uuid,
    pub name: String,
    /// The plan's name.
    pub plan: String,
    pub used: i64,
}

/// Writes counts from Redis. A count is never lowered: those of several gateways come in any order.
pub async fn write(
    connection: &mut PgConnection,
    used: impl IntoIterator<Item = (AccountMonth, u64)>,
) -> Result<(), sqlx::Error> {
    let used = used.into_iter();
    let mut rows: Vec<(AccountMonth, i64)> =
        used.map(|(month, used)| (month, used.cast_signed())).collect();
    // All gateways lock the rows in one order, so that there is no deadlock.
    rows.sort_unstable();
    let accounts: Vec<Uuid> = rows.iter().map(|(month, _)| month.account).collect();
    let months: Vec<Date> = rows.iter().map(|(month, _)| month.month.first_day()).collect();
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

/// Reads the calls of a month; `None` if it has no row.
pub async fn read(
    executor: impl PgExecutor<'_>,
    AccountMonth { account, month }: AccountMonth,
) -> Result<Option<u64>, sqlx::Error> {
    let used = sqlx::query_scalar!(
        "select used from gateway.month_use where account_id = $1 and month = $2",
        account,
        month.first_day(),
    )
    .fetch_optional(executor)
    .await?;
    Ok(used.map(i64::cast_unsigned))
}

/// Up to `limit` accounts after the id `after` that have made a number of calls in a month, in the order of their ids. `least` has the
/// number for each plan; accounts on other plans are left out.
pub async fn at_least(
    pool: &PgPool,
    month: Month,
    least: &[(String, u64)],
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<AccountUse>, sqlx::Error> {
    let plans: Vec<String> = least.iter().map(|(plan, _)| plan.clone()).collect();
    let calls: Vec<i64> =
        least.iter().map(|(_, calls)| i64::try_from(*calls).unwrap_or(i64::MAX)).collect();
    sqlx::query_as!(
        AccountUse,
        "select account.id as account_id, account.name, account.plan, month_use.used
         from unnest($1::text[], $2::bigint[]) as least (plan, calls)
         join gateway.account on account.plan = least.plan
         join gateway.month_use on month_use.account_id = account.id
         where month_use.month = $3 and month_use.used >= least.calls and account.id > $4
         order by account.id limit $5",
        &plans,
        &calls,
        month.first_day(),
        after.unwrap_or(Uuid::nil()),
        limit,
    )
    .fetch_all(pool)
    .await
}
