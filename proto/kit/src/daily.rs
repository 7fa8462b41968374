//! Jobs that the leader of a service runs once a day, at a time of day in UTC. After downtime they run late.
//!
//! The table `daily_run` of the service's schema (`daily.sql`) stores the due time of the last run, by PostgreSQL's time. It is written
//! after the job: a job whose process is killed runs again, so jobs must be idempotent.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::postgres::{PgConnection, PgPool};
use time::{OffsetDateTime, Time};
use tokio::time::timeout;

use crate::clock::Clock;
use crate::leader::Leader;
use crate::periodic::MAX_RUN;
use crate::pg::{self, Schema};

/// The migration for the table, for a schema named `kit`.
pub const TABLE: &str = include_str!("daily.sql");

/// Pause before a failed job is retried.
const RETRY_PAUSE: Duration = Duration::from_secs(10);
/// How often PostgreSQL's time is read while the job is not due.
const INTERVAL: Duration = Duration::from_mins(1);

impl Leader {
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
        let daily = Daily {
            pool: self.pool.clone(),
            schema: self.schema,
            name,
            at,
            clock: self.clock.clone(),
        };
        self.spawn(name, move || daily.clone().run(work.clone()));
    }
}

#[derive(Debug, Clone)]
struct Daily {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
    at: Time,
    clock: Clock,
}

impl Daily {
    async fn run<F>(self, work: impl Fn(OffsetDateTime) -> F) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        loop {
            match self.run_if_due(&work).await {
                Ok(pause) => self.clock.sleep(pause).await,
                Err(error) => {
                    tracing::warn!(
                        job = self.name,
                        error = format!("{error:#}"),
                        "a daily job failed; retrying"
                    );
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Runs the job unless it has run for its last due time. Returns the pause before the next look.
    async fn run_if_due<F>(&self, work: &impl Fn(OffsetDateTime) -> F) -> anyhow::Result<Duration>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let reading = pg::in_time(&self.pool, async |connection| {
            let now = pg::now(&mut *connection, &self.clock).await?;
            Ok((now, self.last_run(connection).await?))
        });
        let (now, last) = reading.await?;
        let due = last_due(now, self.at);
        let pause = (due + time::Duration::DAY - now)
            .unsigned_abs()
            .min(INTERVAL);
        match last {
            // A time in the future comes from a clock that was set back. The job would not run until then.
            Some(last) if last < due || last > now => {
                let ran = timeout(MAX_RUN, work(due)).await;
                ran.context("it has run for an hour")??;
                tracing::info!(job = self.name, %due, "a daily job has run");
            }
            Some(_) => return Ok(pause),
            None => {}
        }
        let recording = pg::in_time(&self.pool, async |connection| {
            self.record(connection, due, now).await
        });
        recording.await?;
        Ok(pause)
    }

    async fn last_run(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Option<OffsetDateTime>, sqlx::Error> {
        let sql = "select done_for from kit.daily_run where name = $1";
        self.schema
            .query_scalar(sql)
            .bind(self.name)
            .fetch_optional(connection)
            .await
    }

    async fn record(
        &self,
        connection: &mut PgConnection,
        due: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let sql = "insert into kit.daily_run as current (name, done_for) values ($1, $2)
             on conflict (name) do update set done_for = excluded.done_for
             where current.done_for < excluded.done_for or current.done_for > $3";
        self.schema
            .query(sql)
            .bind(self.name)
            .bind(due)
            .bind(now)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// The latest due time up to `now`.
fn last_due(now: OffsetDateTime, at: Time) -> OffsetDateTime {
    let now = now.to_offset(time::UtcOffset::UTC);
    let today = now.replace_time(at);
    if today <= now {
        today
    } else {
        today - time::Duration::DAY
    }
}

#[cfg(test)]
mod tests {
    use sqlx::AssertSqlSafe;
    use std::sync::{Arc, Mutex};

    use time::macros::{datetime, time};

    use super::*;

    fn sweep(pool: PgPool, clock: Clock) -> Daily {
        Daily {
            pool,
            schema: Schema("kit"),
            name: "sweep",
            at: time!(4:00),
            clock,
        }
    }

    #[test]
    fn the_last_due_time_is_today_or_yesterday() {
        let at = time!(4:00);
        for (now, due) in [
            (
                datetime!(2026-03-01 04:00 UTC),
                datetime!(2026-03-01 04:00 UTC),
            ),
            (
                datetime!(2026-03-01 03:59 UTC),
                datetime!(2026-02-28 04:00 UTC),
            ),
            (
                datetime!(2026-03-01 05:30 +2),
                datetime!(2026-02-28 04:00 UTC),
            ),
        ] {
            assert_eq!(last_due(now, at), due, "{now}");
        }
    }

    #[testing::database_test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test; its schema is the kit's own"
    )]
    async fn it_runs_once_a_day_and_late_after_downtime(pool: PgPool) {
        let tables = format!("create schema kit; {TABLE}");
        sqlx::raw_sql(AssertSqlSafe(tables))
            .execute(&pool)
            .await
            .unwrap();
        let done = Arc::new(Mutex::new(Vec::new()));
        let at = |now: OffsetDateTime| {
            let daily = sweep(pool.clone(), Clock::fixed(now));
            let done = Arc::clone(&done);
            async move {
                let work = |due: OffsetDateTime| {
                    done.lock().unwrap().push(due.date().day());
                    std::future::ready(Ok(()))
                };
                daily.run_if_due(&work).await.unwrap();
            }
        };
        // A new fleet has missed nothing.
        at(datetime!(2026-03-01 12:00 UTC)).await;
        at(datetime!(2026-03-02 04:00 UTC)).await;
        at(datetime!(2026-03-02 12:00 UTC)).await;
        at(datetime!(2026-03-06 01:00 UTC)).await;
        at(datetime!(2026-03-06 03:00 UTC)).await;
        // A clock that was set back has left a time in the future.
        at(datetime!(2026-03-20 12:00 UTC)).await;
        at(datetime!(2026-03-07 12:00 UTC)).await;
        at(datetime!(2026-03-07 13:00 UTC)).await;
        at(datetime!(2026-03-08 12:00 UTC)).await;
        assert_eq!(*done.lock().unwrap(), [2, 5, 20, 7, 8]);
    }

    #[testing::database_test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test; its schema is the kit's own"
    )]
    async fn a_process_whose_clock_is_ahead_stores_no_date_in_the_future(pool: PgPool) {
        let tables = format!("create schema kit; {TABLE}");
        sqlx::raw_sql(AssertSqlSafe(tables))
            .execute(&pool)
            .await
            .unwrap();
        let behind = testing::postgres::behind(&pool, 604_800).await.unwrap();
        let daily = sweep(behind.clone(), Clock::system());
        let work = |_due| std::future::ready(Ok(()));
        daily.run_if_due(&work).await.unwrap();
        let mut connection = behind.acquire().await.unwrap();
        let stored = daily.last_run(&mut connection).await.unwrap().unwrap();
        assert!(stored <= pg::now(&behind, &daily.clock).await.unwrap());
    }
}
