//! The partitions of `webhook.attempt_log`, one for each day (UTC) on which deliveries were created.
//!
//! The recorder creates a partition before it inserts the first row of a day. There is no default partition: rows in it would stand in the way of
//! the day's own partition.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Executor as _, PgPool};
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

/// The day of a delivery that was created at this time.
pub fn day(created_at: OffsetDateTime) -> Date {
    created_at.to_offset(UtcOffset::UTC).date()
}

/// Creates the partitions of these days, unless they exist.
pub async fn create(pool: &PgPool, days: &BTreeSet<Date>) -> Result<(), sqlx::Error> {
    let existing = list(pool).await?;
    for day in days {
        let name = name(*day);
        if existing.contains(&name) {
            continue;
        }
        let until = day.next_day().unwrap_or(*day);
        // Attaching a table locks the log less than creating a partition of it, and blocks no insert.
        let ddl = format!(
            "create table if not exists webhook.{name} (like webhook.attempt_log including all);
             alter table webhook.attempt_log attach partition webhook.{name}
                 for values from ('{day} 00:00+00') to ('{until} 00:00+00')"
        );
        if let Err(error) = alter(pool, &ddl).await {
            // Another replica may have created it.
            if !list(pool).await?.contains(&name) {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Drops the partitions of days that ended before `before`. Returns how many. One that cannot be dropped, because others use it, stays until the
/// next run.
pub async fn drop_before(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let first_kept = name(day(before));
    let mut ended = list(pool).await?;
    ended.retain(|name| *name < first_kept);
    let mut dropped = 0;
    for name in ended {
        match alter(pool, &format!("drop table webhook.{name}")).await {
            Ok(()) => dropped += 1,
            Err(error) => {
                tracing::warn!(partition = name, %error, "cannot drop a partition of old attempts; trying again at the next run");
            }
        }
    }
    Ok(dropped)
}

/// The names of the partitions; they sort by day.
async fn list(pool: &PgPool) -> Result<BTreeSet<String>, sqlx::Error> {
    let names = sqlx::query_scalar!(
        r#"select relname::text as "name!" from pg_inherits join pg_class on pg_class.oid = inhrelid
           where inhparent = 'webhook.attempt_log'::regclass"#
    );
    Ok(names.fetch_all(pool).await?.into_iter().collect())
}

fn name(day: Date) -> String {
    let digits = day.format(format_description!("[year][month][day]"));
    format!("attempt_log_{}", digits.unwrap_or_default())
}

/// Waits a short time for locks: inserts queue behind a statement that waits for a lock of the table.
#[expect(
    clippy::disallowed_methods,
    reason = "the names of partitions are made from days"
)]
async fn alter(pool: &PgPool, ddl: &str) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    let ddl = format!("set local lock_timeout = '2s'; {ddl}");
    transaction
        .execute(sqlx::raw_sql(AssertSqlSafe(ddl)))
        .await?;
    transaction.commit().await
}
