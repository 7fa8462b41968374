//! Jobs that the leader of a service runs again and again: at a fixed interval, or once a day at a time of day in UTC.
//!
//! A daily job is a periodic one with a stored last run: after downtime it runs late. The table `daily_run` of the service's schema
//! (`daily.sql`) stores the due time of the last run, by PostgreSQL's time. It is written after the job: a job whose process is killed runs again,
//! so jobs must be idempotent.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::postgres::{PgConnection, PgPool};
use time::{OffsetDateTime, Time};
use tokio::time::timeout;

use super::Leader;
use crate::clock::Clock;
use crate::pg::{self, Schema};

/// The migration for the table, for a schema named `kit`.
pub const TABLE: &str = include_str!("daily.sql");

/// How long one run of a job may take. A statement that PostgreSQL never answers would otherwise hold the job for ever: the lease of
/// the leader is renewed over other connections. A long job commits as it goes, and its next run continues.
const MAX_RUN: Duration = Duration::from_hours(1);
/// How often a daily job looks whether it is due, and how long after an error it is run again.
const DAILY_INTERVAL: Duration = Duration::from_secs(10);

impl Leader {
    /// Adds a job that runs at a fixed interval, such as the deletion of old rows, and when a replica becomes the leader.
    ///
    /// `work` gets PostgreSQL's time and returns the number of rows that it changed. An error is logged, and the job runs again after the
    /// interval. So does a run that takes an hour, which is dropped.
    pub fn spawn_periodic<F>(
        &self,
        name: &'static str,
        interval: Duration,
        work: impl Fn(OffsetDateTime) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = anyhow::Result<u64>> + Send + 'static,
    {
        let (pool, clock) = (self.pool.clone(), self.clock.clone());
        self.spawn(name, move || {
            let (pool, now, work) = (pool.clone(), clock.clone(), work.clone());
            run(name, interval, clock.clone(), move || {
                let (pool, now, work) = (pool.clone(), now.clone(), work.clone());
                async move { work(pg::now_in_time(&pool, &now).await?).await }
            })
        });
    }

    /// Adds a job that is due each day `at` this time in UTC. `work` gets the due time. After an error, or an hour, it is run again. After
    /// several missed days it runs once, for the last. In a new fleet it runs for the first time on the next day.
    pub fn spawn_daily<F>(
        &self,
        name: &'static str,
        at: Time,
        work: impl Fn(OffsetDateTime) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let last_run = LastRun { pool: self.pool.clone(), schema: self.schema, name };
        self.spawn_periodic(name, DAILY_INTERVAL, move |now| {
            let (last_run, work) = (last_run.clone(), work.clone());
            async move { last_run.run_if_due(last_due(now, at), work).await }
        });
    }
}

async fn run<F>(
    name: &'static str,
    interval: Duration,
    clock: Clock,
    mut work: impl FnMut() -> F,
) -> anyhow::Result<()>
where
    F: Future<Output = anyhow::Result<u64>>,
{
    loop {
        let ran = timeout(MAX_RUN, work()).await;
        match ran.context("it has run for an hour").flatten() {
            Ok(0) => {}
            Ok(rows) => tracing::info!(job = name, rows, "a periodic job is done"),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(
                    job = name,
                    error,
                    "a periodic job failed; it runs again after its interval"
                );
            }
        }
        clock.sleep(interval).await;
    }
}

/// The stored last run of a daily job.
#[derive(Debug, Clone)]
struct LastRun {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
}

impl LastRun {
    /// Runs the job unless it has run for this due time. It changes no rows that a log would count.
    async fn run_if_due<F>(
        &self,
        due: OffsetDateTime,
        work: impl FnOnce(OffsetDateTime) -> F,
    ) -> anyhow::Result<u64>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let last = pg::in_time(&self.pool, async |connection| self.read(connection).await);
        match last.await? {
            Some(last) if last < due => {
                work(due).await?;
                tracing::info!(job = self.name, %due, "a daily job has run");
            }
            Some(_) => return Ok(0),
            None => {}
        }
        let recording =
            pg::in_time(&self.pool, async |connection| self.record(connection, due).await);
        recording.await?;
        Ok(0)
    }

    async fn read(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Option<OffsetDateTime>, sqlx::Error> {
        let sql = "select done_for from kit.daily_run where name = $1";
        self.schema.query_scalar(sql).bind(self.name).fetch_optional(connection).await
    }

    async fn record(
        &self,
        connection: &mut PgConnection,
        due: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let sql = "insert into kit.daily_run as current (name, done_for) values ($1, $2)
             on conflict (name) do update set done_for = excluded.done_for
             where current.done_for < excluded.done_for";
        self.schema.query(sql).bind(self.name).bind(due).execute(connection).await?;
        Ok(())
    }
}

/// The latest due time up to `now`.
fn last_due(now: OffsetDateTime, at: Time) -> OffsetDateTime {
    let now = now.to_offset(time::UtcOffset::UTC);
    let today = now.replace_time(at);
    if today <= now { today } else { today - time::Duration::DAY }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use sqlx::AssertSqlSafe;
    use time::macros::{datetime, time};

    use super::*;
    use crate::jobs::LEASE_TABLE;
    use crate::lifecycle::Lifecycle;

    const SCHEMA: Schema = Schema("kit");

    #[tokio::test]
    async fn a_job_runs_at_once_and_after_each_interval_even_if_it_fails() {
        let clock = Clock::fixed(datetime!(2026-03-01 00:00 UTC));
        let runs = Arc::new(AtomicU64::new(0));
        let work = || {
            let run = runs.fetch_add(1, Ordering::Relaxed);
            async move {
                anyhow::ensure!(run > 0, "the first run fails");
                Ok(run)
            }
        };
        let hour = Duration::from_hours(1);
        let mut job = std::pin::pin!(run("test", hour, clock.clone(), work));
        for expected in [1, 2, 3] {
            assert!(futures::poll!(job.as_mut()).is_pending());
            assert!(futures::poll!(job.as_mut()).is_pending());
            assert_eq!(runs.load(Ordering::Relaxed), expected);
            clock.advance(time::Duration::HOUR);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_hangs_is_dropped_after_an_hour() {
        let (sender, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let work = || {
            sender.send(()).unwrap();
            std::future::pending()
        };
        let job = run("test", Duration::ZERO, Clock::system(), work);
        let both = async {
            begun.recv().await.unwrap();
            begun.recv().await.unwrap();
        };
        tokio::select! {
            ended = job => panic!("{ended:?}"),
            () = both => {}
            () = tokio::time::sleep(3 * MAX_RUN) => panic!("the first run goes on"),
        }
    }

    #[test]
    fn the_last_due_time_is_today_or_yesterday() {
        let at = time!(4:00);
        for (now, due) in [
            (datetime!(2026-03-01 04:00 UTC), datetime!(2026-03-01 04:00 UTC)),
            (datetime!(2026-03-01 03:59 UTC), datetime!(2026-02-28 04:00 UTC)),
            (datetime!(2026-03-01 05:30 +2), datetime!(2026-02-28 04:00 UTC)),
        ] {
            assert_eq!(last_due(now, at), due, "{now}");
        }
    }

    async fn tables(pool: &PgPool) {
        let tables = format!("create schema kit; {LEASE_TABLE} {TABLE}");
        #[expect(clippy::disallowed_methods, reason = "a test; its schema is the kit's own")]
        let created = sqlx::raw_sql(AssertSqlSafe(tables)).execute(pool).await;
        created.unwrap();
    }

    #[testing::database_test]
    async fn a_daily_job_runs_once_a_day_and_late_after_downtime(pool: PgPool) {
        tables(&pool).await;
        let last_run = LastRun { pool, schema: SCHEMA, name: "sweep" };
        let done = Mutex::new(Vec::new());
        let at = async |now: OffsetDateTime| {
            let work = |due: OffsetDateTime| {
                done.lock().unwrap().push(due.date().day());
                std::future::ready(Ok(()))
            };
            let due = last_due(now, time!(4:00));
            last_run.run_if_due(due, work).await.unwrap();
        };
        // A new fleet catches up on no run before its first start.
        at(datetime!(2026-03-01 12:00 UTC)).await;
        at(datetime!(2026-03-02 04:00 UTC)).await;
        at(datetime!(2026-03-02 12:00 UTC)).await;
        at(datetime!(2026-03-06 01:00 UTC)).await;
        at(datetime!(2026-03-06 03:00 UTC)).await;
        assert_eq!(*done.lock().unwrap(), [2, 5]);
    }

    #[testing::database_test]
    async fn a_leader_whose_clock_is_ahead_stores_no_date_in_the_future(pool: PgPool) {
        tables(&pool).await;
        let behind = testing::postgres::behind(&pool, 604_800).await.unwrap();
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::system();
        let leader = Leader::start(&lifecycle, behind.clone(), SCHEMA, clock.clone());
        leader.spawn_daily("sweep", time!(4:00), |_due| std::future::ready(Ok(())));
        let last_run = LastRun { pool: behind.clone(), schema: SCHEMA, name: "sweep" };
        let stored = testing::eventually("a stored run", async || {
            let mut connection = behind.acquire().await.unwrap();
            last_run.read(&mut connection).await.unwrap()
        })
        .await;
        assert!(stored <= pg::now(&behind, &clock).await.unwrap());
        lifecycle.stopping().cancel();
    }
}
