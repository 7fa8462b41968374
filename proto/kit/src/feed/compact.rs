//! Compaction: deletes rows that no follower needs any more.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;

use super::followers;
use crate::clock::Clock;
use crate::pg::{self, Schema};

/// How long a feed keeps rows and followers.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// The minimum age at which a one-off event is deleted.
    pub happenings: Duration,
    /// A follower that was silent for this long is removed. If it comes back, it rebuilds from the beginning.
    pub followers: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self {
            happenings: 30 * DAY,
            followers: 30 * DAY,
        }
    }
}

/// How often the feed is compacted.
const PERIOD: Duration = Duration::from_mins(10);
/// The minimum age at which a row is deleted: a writer that lost its connection at commit looks for its rows.
const MIN_AGE: Duration = Duration::from_hours(1);
/// How long a follower that was silent for too long has left to acknowledge.
const GRACE: time::Duration = time::Duration::minutes(5);
/// Rows deleted in one statement.
const BATCH: i64 = 10_000;

pub(super) async fn run(
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    retention: Retention,
) -> anyhow::Result<()> {
    loop {
        match compact(&pool, schema, clock.now(), retention).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(schema = %schema, removed, "compacted the feed"),
            Err(error) => {
                tracing::warn!(schema = %schema, %error, "cannot compact the feed; retrying in ten minutes");
            }
        }
        clock.sleep(PERIOD).await;
    }
}

/// Deletes rows that every registered follower has passed and that a newer row of the same entity replaces. One-off events, which no row
/// replaces, are deleted by age. Returns the number of rows deleted.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub(super) async fn compact(
    pool: &PgPool,
    schema: Schema,
    now: OffsetDateTime,
    retention: Retention,
) -> Result<u64, sqlx::Error> {
    let since = now - retention.followers;
    followers::expire(pool, schema, since, now, GRACE).await?;

    // The last row that a follower has applied stays, so that its fingerprint can be compared. A follower whose last position is in
    // another epoch may have to rebuild and counts as having applied nothing.
    let delete = format!(
        "delete from {schema}.feed where seq in (
             select old.seq from {schema}.feed old
             where old.seq < (
                 select min(case
                     when follower.name is null then head.seq
                     when follower.epoch = head.epoch then follower.seq
                     else 0
                 end)
                 from {schema}.feed_head head left join {schema}.feed_follower follower on true
             )
             and old.at < $1
             and case when old.happening then old.at < $2 else exists (
                 select from {schema}.feed newer
                 where newer.entity = old.entity and newer.id = old.id and newer.seq > old.seq and not newer.happening
             ) end
             order by old.seq
             limit {BATCH}
         )"
    );
    let mut total = 0;
    loop {
        let mut transaction = pool.begin_with(pg::BEGIN_LONG).await?;
        let removed = sqlx::query(AssertSqlSafe(delete.clone()))
            .bind(now - MIN_AGE)
            .bind(now - retention.happenings)
            .execute(&mut *transaction)
            .await?
            .rows_affected();
        transaction.commit().await?;
        total += removed;
        if removed < BATCH.unsigned_abs() {
            return Ok(total);
        }
    }
}
