//! Compaction: deletes rows by age. A follower that was stopped for longer misses the announcements of that time, and no state.

use std::time::Duration;

use sqlx::postgres::PgPool;
use sqlx::{Connection as _, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use super::head::Head;
use crate::clock::Clock;
use crate::pg::{self, Schema};

/// How long a feed keeps rows. The newest state of an entity stays.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// How long a state stays after a newer one has replaced it.
    pub states: Duration,
    /// The minimum age at which a one-off event is deleted.
    pub happenings: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { states: 7 * DAY, happenings: 30 * DAY }
    }
}

/// PostgreSQL expects far more rows than a run usually finds, and would read the whole feed to join them.
const BEGIN: &str = "begin;
    set local statement_timeout = '10min';
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off";
/// How long PostgreSQL may take to answer a statement that deletes rows: longer than the timeout of the statement. Then the connection is
/// closed.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(11);
/// How often the feed is compacted.
const PERIOD: Duration = Duration::from_mins(10);
/// Rows that one statement looks at. The next run looks again at those that were too young.
const BATCH: i64 = 1_000;

/// Compacts the feed of `schema` from time to time, for ever.
pub(super) async fn run(
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    retention: Retention,
) -> anyhow::Result<()> {
    let mut compaction = Compaction::new(pool.clone(), schema, retention);
    loop {
        let compacting = async {
            let now = pg::now_in_time(&pool, &clock).await?;
            compaction.run(now).await
        };
        match compacting.await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(schema = %schema, removed, "compacted the feed"),
            Err(error) => {
                tracing::warn!(schema = %schema, %error, "cannot compact the feed; retrying in ten minutes");
            }
        }
        clock.sleep(PERIOD).await;
    }
}

/// The compaction of a feed. It remembers how far it has come: what it kept up to there can only be removed because of newer rows. The
/// first run reads the whole feed, and every further one only what has become old enough since then, and at most a batch more of each kind.
#[derive(Debug)]
pub(super) struct Compaction {
    pool: PgPool,
    schema: Schema,
    retention: Retention,
    epoch: Uuid,
    /// States up to here are removed if a row up to here replaces them.
    states_until: i64,
    /// One-off events up to here are removed.
    happenings_until: i64,
}

impl Compaction {
    pub(super) fn new(pool: PgPool, schema: Schema, retention: Retention) -> Self {
        Self { pool, schema, retention, epoch: Uuid::nil(), states_until: 0, happenings_until: 0 }
    }

    /// Deletes old states that a newer row of the same entity replaces, and old one-off events. Returns the number of rows deleted.
    pub(super) async fn run(&mut self, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
        let reading =
            pg::in_time(&self.pool, async |connection| Head::read(connection, self.schema).await);
        let head = reading.await?;
        if head.epoch != self.epoch {
            (self.states_until, self.happenings_until) = (0, 0);
            self.epoch = head.epoch;
        }
        let [states, happenings] =
            [self.retention.states, self.retention.happenings].map(|age| now - age);
        let mut total = 0;
        while let Some((until, removed)) = self.remove(self.states_until, states, REPLACED).await? {
            self.states_until = until;
            total += removed;
        }
        while let Some((until, removed)) =
            self.remove(self.happenings_until, happenings, HAPPENED).await?
        {
            self.happenings_until = until;
            total += removed;
        }
        Ok(total)
    }

    /// Looks at the next rows above `after` that are older than `before`, and removes `removable` ones. Returns up to where it has looked, and
    /// the number of rows removed; `None` at the end.
    async fn remove(
        &self,
        after: i64,
        before: OffsetDateTime,
        removable: &str,
    ) -> Result<Option<(i64, u64)>, sqlx::Error> {
        let schema = self.schema;
        let removable = removable.replace("{schema}", schema.0);
        // The newest row stays: a rebuild of a follower ends with it.
        let sql = format!("with looked as materialized (
                 select seq, entity, id, happening from (
                     select seq, entity, id, happening, at from kit.feed
                     where seq > $1 and seq < (select seq from kit.feed_head) order by seq limit {BATCH}
                 ) next
                 where at < $2
             ), removed as (
                 delete from kit.feed where seq in ({removable}) returning 1
             )
             select (select max(seq) from looked) as until, (select count(*) from removed) as removed");
        let removing = pg::within(&self.pool, ANSWER_TIMEOUT, async |connection| {
            let mut transaction = connection.begin_with(BEGIN).await?;
            let row = schema
                .query(&sql)
                .bind(after)
                .bind(before)
                // A cached plan from the time when the feed was short would read the whole table later.
                .persistent(false)
                .fetch_one(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(row)
        });
        let row = removing.await?;
        let (until, removed): (Option<i64>, i64) = (row.try_get("until")?, row.try_get("removed")?);
        Ok(until.map(|until| (until, removed.unsigned_abs())))
    }
}

/// States that one of the rows which are looked at replaces.
const REPLACED: &str = "
    select old.seq from looked newer join {schema}.feed old using (entity, id)
    where not newer.happening and not old.happening and old.seq < newer.seq";
/// One-off events.
const HAPPENED: &str = "select seq from looked where happening";

#[cfg(test)]
mod tests {
    use sqlx::AssertSqlSafe;
    use sqlx::postgres::PgPoolOptions;

    use super::super::TABLES;
    use super::*;

    const SCHEMA: Schema = Schema("kit");
    /// 30,000 rows, each of another entity.
    const LARGE: &str = "
        insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state)
            select n, 'note', n::text, 1, 'set', true, false, now() - interval '9 days', ''
            from generate_series(1, 30000) n;
        update kit.feed_head set seq = 30000;
        analyze kit.feed";
    /// Replaces the states 1 to 51. A run does not look at the head, which is the replacement of state 51, so that one stays.
    const REPLACE: &str = "
        insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state)
            select 30000 + n, 'note', n::text, 2, 'set', true, false, now() - interval '8 days', ''
            from generate_series(1, 51) n;
        update kit.feed_head set seq = 30051";

    #[testing::database_test]
    #[expect(clippy::disallowed_methods, reason = "a test; its schema is the kit's own")]
    async fn a_run_reads_what_has_become_old_since_the_last_one(pool: PgPool) {
        // PostgreSQL publishes the statistics of a session: a single connection can force that for all of its reads.
        let one = PgPoolOptions::new().max_connections(1);
        let pool = one.connect_lazy_with((*pool.connect_options()).clone());
        let tables = format!("create schema kit; {TABLES}; {LARGE}");
        sqlx::raw_sql(AssertSqlSafe(tables)).execute(&pool).await.unwrap();
        let rows_read = async || -> i64 {
            sqlx::raw_sql("select pg_stat_force_next_flush()").execute(&pool).await.unwrap();
            let read = "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'feed'";
            sqlx::query_scalar(read).fetch_one(&pool).await.unwrap()
        };
        let now = OffsetDateTime::now_utc();
        let mut compaction = Compaction::new(pool.clone(), SCHEMA, Retention::default());
        assert_eq!(compaction.run(now).await.unwrap(), 0);
        sqlx::raw_sql(REPLACE).execute(&pool).await.unwrap();
        let before = rows_read().await;
        assert_eq!(compaction.run(now).await.unwrap(), 50);
        let read = rows_read().await - before;
        assert!(read < 3 * BATCH, "{read} rows are read");
        assert_eq!(compaction.run(now).await.unwrap(), 0);
        let left: i64 =
            sqlx::query_scalar("select count(*) from kit.feed").fetch_one(&pool).await.unwrap();
        assert_eq!(left, 30_001);
    }
}
