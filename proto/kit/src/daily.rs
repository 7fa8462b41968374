//! A job at an hour of UTC: once a day for the whole fleet, and made up for after a time of being down.
//!
//! The table `daily_run` of the service's schema (`daily.sql`) says for which moment a job ran last. It is written after the job, so a job
//! whose process dies runs again: what it does must be the same when it is done twice.

use std::future::Future;
use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgPool;
use time::{OffsetDateTime, Time};

use crate::clock::Clock;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;

/// The table that a service's migrations make, written for a schema named `kit`.
pub const TABLE: &str = include_str!("daily.sql");

/// Pause before a job that failed is tried again.
const PAUSE: Duration = Duration::from_secs(10);

/// A job at an hour of UTC.
#[derive(Debug, Clone)]
pub struct Daily {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
    at: Time,
    clock: Clock,
}

impl Daily {
    /// The job called `name`, daily `at` this time of UTC.
    pub fn new(pool: PgPool, schema: Schema, name: &'static str, at: Time, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            name,
            at,
            clock,
        }
    }

    /// Spawns the job, in one replica at a time. `work` is given the moment that it is done for; of days that were missed only the last is made
    /// up for. A fleet that never ran it begins with the next day.
    pub fn spawn<F>(
        self,
        lifecycle: &Lifecycle,
        work: impl FnMut(OffsetDateTime) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let lease = Lease::new(
            self.pool.clone(),
            self.schema,
            self.name,
            self.clock.clone(),
        );
        lease.spawn(lifecycle, move || self.clone().run(work.clone()));
    }

    async fn run<F>(self, mut work: impl FnMut(OffsetDateTime) -> F) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        loop {
            let due = last_due(self.clock.now(), self.at);
            match self.run_once(due, &mut work).await {
                Ok(()) => self.clock.sleep_until(due + time::Duration::DAY).await,
                Err(error) => {
                    tracing::warn!(job = self.name, %due, error = format!("{error:#}"), "a daily job failed and is tried again");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Does the work for `due`, unless it was done.
    async fn run_once<F>(
        &self,
        due: OffsetDateTime,
        work: &mut impl FnMut(OffsetDateTime) -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        match self.last_run().await? {
            Some(last) if last < due => {
                work(due).await?;
                tracing::info!(job = self.name, %due, "a daily job is done");
            }
            Some(_) => return Ok(()),
            None => {}
        }
        self.record(due).await?;
        Ok(())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn last_run(&self) -> Result<Option<OffsetDateTime>, sqlx::Error> {
        let sql = format!(
            "select done_for from {}.daily_run where name = $1",
            self.schema
        );
        sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(self.name)
            .fetch_optional(&self.pool)
            .await
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn record(&self, due: OffsetDateTime) -> Result<(), sqlx::Error> {
        let sql = format!(
            "insert into {}.daily_run as held (name, done_for) values ($1, $2)
             on conflict (name) do update set done_for = greatest(held.done_for, excluded.done_for)",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(self.name)
            .bind(due)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

/// The last moment at this time of a day, up to `now`.
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
    use std::sync::{Arc, Mutex};

    use time::macros::{datetime, time};

    use super::*;

    #[test]
    fn the_last_moment_is_today_or_yesterday() {
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

    #[sqlx::test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test; its schema is the kit's own"
    )]
    async fn each_day_is_done_once_and_the_last_is_made_up_for(pool: PgPool) {
        let tables = format!("create schema kit; {TABLE}");
        sqlx::raw_sql(AssertSqlSafe(tables))
            .execute(&pool)
            .await
            .unwrap();
        let done = Arc::new(Mutex::new(Vec::new()));
        let at = |now: OffsetDateTime| {
            let daily = Daily::new(
                pool.clone(),
                Schema("kit"),
                "sweep",
                time!(4:00),
                Clock::fixed(now),
            );
            let done = Arc::clone(&done);
            async move {
                let mut work = |due: OffsetDateTime| {
                    done.lock().unwrap().push(due.date().day());
                    std::future::ready(Ok(()))
                };
                let due = last_due(daily.clock.now(), daily.at);
                daily.run_once(due, &mut work).await.unwrap();
            }
        };
        // A new fleet has nothing to make up for.
        at(datetime!(2026-03-01 12:00 UTC)).await;
        at(datetime!(2026-03-02 04:00 UTC)).await;
        at(datetime!(2026-03-02 12:00 UTC)).await;
        at(datetime!(2026-03-06 01:00 UTC)).await;
        at(datetime!(2026-03-06 03:00 UTC)).await;
        assert_eq!(*done.lock().unwrap(), [2, 5]);
    }
}
