//! Compaction: removes rows that nobody needs any more.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;

use super::registered;
use crate::clock::Clock;
use crate::pg::Schema;

/// How long a feed keeps what.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// Happenings that every follower has passed.
    pub happenings: Duration,
    /// A follower that has not been heard of for so long is forgotten, and starts again from nothing if it comes back.
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

/// How often a feed is compacted.
const PERIOD: Duration = Duration::from_mins(10);
/// Rows are kept at least so long, so that a writer that lost its connection at commit can look its change up.
const YOUNG: Duration = Duration::from_hours(1);
/// How long a follower that has been silent for too long has left to show that it is there.
const GRACE: time::Duration = time::Duration::minutes(5);
/// Rows removed in one statement.
const PORTION: i64 = 10_000;

pub(super) async fn run(
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    retention: Retention,
) -> anyhow::Result<()> {
    loop {
        match compact(&pool, schema, clock.now(), retention).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(schema = %schema, removed, "feed compacted"),
            Err(error) => tracing::warn!(schema = %schema, %error, "the feed is not compacted"),
        }
        clock.sleep(PERIOD).await;
    }
}

/// Removes rows that every registered follower has passed and that a newer row of the same entity replaces; happenings, which
/// nothing replaces, by age. Returns how many.
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
    registered::forget(pool, schema, since, now, GRACE).await?;

    // The row that a follower came to last stays, so that its fingerprint can be compared. A follower that was seen last in another
    // epoch may have to start again, so it has passed nothing.
    let portion = format!(
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
             limit {PORTION}
         )"
    );
    let mut total = 0;
    loop {
        let removed = sqlx::query(AssertSqlSafe(portion.clone()))
            .bind(now - YOUNG)
            .bind(now - retention.happenings)
            .execute(pool)
            .await?
            .rows_affected();
        total += removed;
        if removed < PORTION.unsigned_abs() {
            return Ok(total);
        }
    }
}
