//! The table `gateway.day_use`: calls per account, day and route.

use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::domain::call_record::{CallCounts, CallGroup};

/// Calls of an account on one day with one method to one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteUse {
    pub day: Date,
    pub mode: String,
    pub route: String,
    pub method: String,
    pub counts: CallCounts,
}

/// Adds the counts of a batch to those of the table, unless they were added before. A statement that is still running is awaited.
pub async fn add(
    connection: &mut PgConnection,
    batch: Uuid,
    counts: &[(CallGroup, CallCounts)],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mut rows: Vec<&(CallGroup, CallCounts)> = counts.iter().collect();
    // All gateways lock the rows in one order, so that there is no deadlock.
    rows.sort_unstable_by_key(|(group, _)| *group);
    let accounts: Vec<Uuid> = rows.iter().map(|(group, _)| group.account).collect();
    let days: Vec<Date> = rows.iter().map(|(group, _)| group.day).collect();
    let modes: Vec<&str> = rows
        .iter()
        .map(|(group, _)| group.mode().as_str())
        .collect();
    let routes: Vec<&str> = rows.iter().map(|(group, _)| group.route).collect();
    let methods: Vec<&str> = rows.iter().map(|(group, _)| group.method).collect();
    let column = |of: fn(&CallCounts) -> u64| -> Vec<i64> {
        let counts = rows.iter().map(|(_, counts)| of(counts).cast_signed());
        counts.collect()
    };
    sqlx::query!(
        "with batch as (
             insert into gateway.day_use_batch (id, written_at) values ($10, $11) on conflict do nothing returning id
         )
         insert into gateway.day_use as held
             (account_id, day, mode, route, method, calls, client_errors, rate_limited, server_errors)
         select counts.* from batch, unnest($1::uuid[], $2::date[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
             $8::bigint[], $9::bigint[]) as counts
         on conflict (account_id, day, mode, route, method) do update set
             calls = held.calls + excluded.calls,
             client_errors = held.client_errors + excluded.client_errors,
             rate_limited = held.rate_limited + excluded.rate_limited,
             server_errors = held.server_errors + excluded.server_errors",
        &accounts,
        &days,
        &modes as &[&str],
        &routes as &[&str],
        &methods as &[&str],
        &column(|counts| counts.calls),
        &column(|counts| counts.client_errors),
        &column(|counts| counts.rate_limited),
        &column(|counts| counts.server_errors),
        batch,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The rows of an account from `first` on, by day, mode, route and method.
pub async fn of_account(
    pool: &PgPool,
    account: Uuid,
    first: Date,
) -> Result<Vec<RouteUse>, sqlx::Error> {
    let rows = sqlx::query!(
        "select day, mode, route, method, calls, client_errors, rate_limited, server_errors
         from gateway.day_use where account_id = $1 and day >= $2 order by day, mode, route, method",
        account,
        first,
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| RouteUse {
            day: row.day,
            mode: row.mode,
            route: row.route,
            method: row.method,
            counts: CallCounts {
                calls: row.calls.cast_unsigned(),
                client_errors: row.client_errors.cast_unsigned(),
                rate_limited: row.rate_limited.cast_unsigned(),
                server_errors: row.server_errors.cast_unsigned(),
            },
        })
        .collect())
}

/// Deletes up to `most` rows of days before `day`. Returns how many.
pub async fn delete_before(
    connection: &mut PgConnection,
    day: Date,
    most: i64,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "delete from gateway.day_use where ctid = any (array(
             select ctid from gateway.day_use where day < $1 limit $2
         ))",
        day,
        most,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// Forgets batches that were written before `at`.
pub async fn delete_batches_before(
    connection: &mut PgConnection,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from gateway.day_use_batch where written_at < $1",
        at
    )
    .execute(connection)
    .await?;
    Ok(())
}
