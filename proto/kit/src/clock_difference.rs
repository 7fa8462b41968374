//! Compares the machine's clock with PostgreSQL's. A replica whose clock is wrong at its start is not ready.
//!
//! Replicas use PostgreSQL's time ([`pg::now`]) for what they must agree on, and in each transaction of a feed. Checks of calls, answers and
//! caches use the clock of the replica, which must therefore be about right. A replica that is ready stays ready when the clocks come to differ: if PostgreSQL's clock is the wrong
//! one, all replicas would stop at once. A metric and the log tell the operator.

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::admin::Condition;
use crate::clock::Clock;
use crate::pg;

/// A larger difference is wrong.
const LIMIT: time::Duration = time::Duration::seconds(2);
/// How often the clocks are compared until they agree, and after that.
const FIRST_INTERVAL: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_mins(1);
/// How long PostgreSQL may take to tell its time.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The comparison of the clocks of one process.
#[derive(Debug)]
pub(crate) struct ClockComparison {
    pool: PgPool,
    /// Met once the clocks have agreed.
    agreed: Condition,
    has_agreed: bool,
    is_wrong: bool,
}

impl ClockComparison {
    pub(crate) fn new(pool: PgPool, agreed: Condition) -> Self {
        Self { pool, agreed, has_agreed: false, is_wrong: false }
    }

    /// Compares the clocks again and again, for ever.
    pub(crate) async fn watch(mut self) -> anyhow::Result<()> {
        loop {
            let interval = if self.has_agreed { INTERVAL } else { FIRST_INTERVAL };
            tokio::time::sleep(interval).await;
            self.compare().await;
        }
    }

    /// Compares the clocks. Nothing changes while PostgreSQL does not answer.
    pub(crate) async fn compare(&mut self) {
        // A clock that tests have moved differs on purpose.
        let clock = Clock::system();
        let asking = pg::within(&self.pool, TIMEOUT, async |connection| {
            let before = clock.now();
            let there = pg::now(connection, &clock).await?;
            Ok(ahead(before, there, clock.now()))
        });
        match asking.await {
            Ok(ahead) => self.record(ahead),
            Err(error) => tracing::debug!(%error, "cannot compare the clock with PostgreSQL's"),
        }
    }

    /// Records how far this clock is ahead of PostgreSQL's.
    fn record(&mut self, ahead: time::Duration) {
        let seconds = ahead.as_seconds_f64();
        metrics::gauge!("clock_difference_seconds").set(seconds);
        let was_wrong = std::mem::replace(&mut self.is_wrong, ahead.abs() > LIMIT);
        if !self.is_wrong {
            if was_wrong {
                tracing::info!("the clock agrees with PostgreSQL's again");
            }
            self.has_agreed = true;
            self.agreed.set(true);
            return;
        }
        let problem = format!("the clock differs by {seconds:+.1} s from PostgreSQL's");
        if !was_wrong {
            tracing::error!("{problem}; set the clock that is wrong");
        }
        if !self.has_agreed {
            self.agreed.fail(format!("{problem}; set this machine's clock"));
        }
    }
}

/// How far this clock is ahead of one that showed `there` at some moment between `before` and `after`.
fn ahead(before: OffsetDateTime, there: OffsetDateTime, after: OffsetDateTime) -> time::Duration {
    if there < before {
        before - there
    } else if there > after {
        after - there
    } else {
        time::Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use testing::wait_until;
    use time::macros::datetime;

    use super::*;
    use crate::admin::Readiness;

    #[test]
    fn a_slow_answer_is_no_difference() {
        let at = |seconds| datetime!(2026-01-01 00:00 UTC) + time::Duration::seconds(seconds);
        for (there, expected) in [(0, 0), (5, 0), (9, 0), (-3, 3), (12, -3)] {
            let found = ahead(at(0), at(there), at(9));
            assert_eq!(found.whole_seconds(), expected, "{there}");
        }
    }

    #[testing::database_test]
    async fn a_replica_whose_clock_differs_at_its_start_is_not_ready(pool: PgPool) {
        let readiness = Readiness::default();
        let agreed = readiness.condition("the clock to be compared");
        let mut comparison = ClockComparison::new(pool.clone(), agreed);
        // A comparison that takes too long has no result, so try again.
        for (behind, expected) in [(604_800, "+604"), (-600, "-")] {
            comparison.pool = testing::postgres::behind(&pool, behind).await.unwrap();
            let says = format!("the clock differs by {expected}");
            wait_until(&says, async || {
                comparison.compare().await;
                readiness.missing()[0].starts_with(&says)
            })
            .await;
            assert!(!*readiness.watch().borrow());
        }
        comparison.pool = pool;
        wait_until("the clocks agree", async || {
            comparison.compare().await;
            *readiness.watch().borrow()
        })
        .await;
    }

    #[testing::database_test]
    async fn a_clock_that_goes_wrong_later_is_measured_and_the_replica_stays_ready(pool: PgPool) {
        let readiness = Readiness::default();
        let agreed = readiness.condition("the clock to be compared");
        let recorder = PrometheusBuilder::new().build_recorder();
        let mut comparison = ClockComparison::new(pool.clone(), agreed);
        comparison.has_agreed = true;
        comparison.agreed.set(true);
        for (behind, is_wrong, measured) in [(600, true, "600"), (0, false, "0")] {
            comparison.pool = match behind {
                0 => pool.clone(),
                behind => testing::postgres::behind(&pool, behind).await.unwrap(),
            };
            wait_until("the clocks are compared", async || {
                comparison.compare().await;
                comparison.is_wrong == is_wrong
            })
            .await;
            assert!(*readiness.watch().borrow(), "{:?}", readiness.missing());
            // The recorder of this thread is local: a future may not hold it.
            metrics::with_local_recorder(&recorder, || {
                comparison.record(time::Duration::seconds(behind.into()));
            });
            let metrics = recorder.handle().render();
            let line = format!("clock_difference_seconds {measured}");
            assert!(metrics.lines().any(|it| it == line), "{metrics}");
        }
    }
}
