//! The partitions of `webhook.attempt_log`, one for each day (UTC) on which deliveries were created.
//!
//! The recorder creates a partition before it inserts the first row of a day. There is no default partition: rows in it would stand in the way of
//! the day's own partition. Functions of the schema's owner do the work, because the role of the service changes no table.

use std::collections::BTreeSet;

use sqlx::PgPool;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

/// The day of a delivery that was created at this time.
pub fn day(created_at: OffsetDateTime) -> Date {
    created_at.to_offset(UtcOffset::UTC).date()
}

/// Creates the partitions of these days, unless they exist.
pub async fn create(pool: &PgPool, days: &BTreeSet<Date>) -> Result<(), sqlx::Error> {
    let existing = list(pool).await?;
    for day in days.difference(&existing) {
        let created = sqlx::query!("select webhook.create_attempt_partition($1)", *day)
            .execute(pool)
            .await;
        if let Err(error) = created {
            // Another replica may have created it.
            if !list(pool).await?.contains(day) {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Drops the partitions of days that ended before `before`. Returns how many. One that cannot be dropped, because others use it, stays until the
/// next run.
pub async fn drop_before(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let first_kept = day(before);
    let mut ended = list(pool).await?;
    ended.retain(|day| *day < first_kept);
    let mut dropped = 0;
    for day in ended {
        let result = sqlx::query!("select webhook.drop_attempt_partition($1)", day)
            .execute(pool)
            .await;
        match result {
            Ok(_) => dropped += 1,
            Err(error) => {
                tracing::warn!(%day, %error, "cannot drop a partition of old attempts; trying again at the next run");
            }
        }
    }
    Ok(dropped)
}

/// The days of the partitions.
async fn list(pool: &PgPool) -> Result<BTreeSet<Date>, sqlx::Error> {
    let names = sqlx::query_scalar!(
        r#"select relname::text as "name!" from pg_inherits join pg_class on pg_class.oid = inhrelid
           where inhparent = 'webhook.attempt_log'::regclass"#
    );
    let names = names.fetch_all(pool).await?;
    Ok(names.iter().filter_map(|name| day_of(name)).collect())
}

/// `attempt_log_20260301` → 2026-03-01.
fn day_of(name: &str) -> Option<Date> {
    let digits = name.strip_prefix("attempt_log_")?;
    Date::parse(digits, format_description!("[year][month][day]")).ok()
}
