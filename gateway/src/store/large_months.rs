//! The table `gateway.large_month`: months with very many calls of an account without a monthly limit.

use sqlx::PgConnection;
use time::Date;
use uuid::Uuid;

use crate::domain::quota::Month;

/// A month with more calls than the setting `large_month`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeMonth {
    pub account_id: Uuid,
    pub name: String,
    pub email: String,
    /// The plan's name.
    pub plan: String,
    pub month: Date,
    pub calls: i64,
}

/// Inserts those of these months in which accounts on `plans` have made `calls` or more calls. Returns the new ones.
pub async fn insert(
    connection: &mut PgConnection,
    months: &[Month],
    plans: &[String],
    calls: u64,
) -> Result<Vec<LargeMonth>, sqlx::Error> {
    let months: Vec<Date> = months.iter().map(|month| month.first_day()).collect();
    sqlx::query_as!(
        LargeMonth,
        "with large as (
             select account.id as account_id, name, email, plan, month, used as calls
             from gateway.account join gateway.month_use on month_use.account_id = account.id
             where plan = any ($1) and month = any ($2) and used >= $3
         ), told as (
             insert into gateway.large_month (account_id, month) select account_id, month from large
             on conflict do nothing
             returning account_id, month
         )
         select large.* from large join told using (account_id, month)",
        plans,
        &months,
        calls.cast_signed(),
    )
    .fetch_all(connection)
    .await
}
