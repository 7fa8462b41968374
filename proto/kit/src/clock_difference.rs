//! Compares the machine's clock with PostgreSQL's. A replica whose clock is wrong is not ready.
//!
//! What replicas must agree on goes by PostgreSQL's time ([`pg::now`]). The times that a replica puts into rows and answers come from its
//! own clock, so that clock must be about right.

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::admin::Condition;
use crate::clock::Clock;
use crate::pg;

/// A replica whose clock differs by more is not ready.
const LIMIT: time::Duration = time::Duration::seconds(2);
/// How often the clocks are compared.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long PostgreSQL may take to tell its time.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Compares the clocks from time to time, for ever.
pub(crate) async fn watch(pool: PgPool, agrees: Condition) -> anyhow::Result<()> {
    loop {
        tokio::time::sleep(INTERVAL).await;
        compare(&pool, &agrees).await;
    }
}

/// Compares the clocks, and sets the condition. It stays as it is while PostgreSQL does not answer.
pub(crate) async fn compare(pool: &PgPool, agrees: &Condition) {
    // A clock that tests have moved differs on purpose.
    let clock = Clock::system();
    let asking = pg::within(pool, TIMEOUT, async |connection| {
        let before = clock.now();
        let there = pg::now(connection, &clock).await?;
        Ok(ahead(before, there, clock.now()))
    });
    match asking.await {
        Ok(ahead) if ahead.abs() <= LIMIT => agrees.set(true),
        Ok(ahead) => {
            let seconds = ahead.as_seconds_f64();
            agrees.fail(format!(
                "the clock differs by {seconds:+.1} s from PostgreSQL's; set this machine's clock"
            ));
        }
        Err(error) => tracing::debug!(%error, "cannot compare the clock with PostgreSQL's"),
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
    async fn a_replica_whose_clock_differs_is_not_ready(pool: PgPool) {
        let readiness = Readiness::default();
        let agrees = readiness.condition("the clock to be compared");
        for (behind, expected) in [(604_800, "+604"), (-600, "-")] {
            let wrong = testing::postgres::behind(&pool, behind).await.unwrap();
            compare(&wrong, &agrees).await;
            let missing = readiness.missing();
            let says = format!("the clock differs by {expected}");
            assert!(missing[0].starts_with(&says), "{missing:?}");
            assert!(!*readiness.watch().borrow());
        }
        compare(&pool, &agrees).await;
        assert!(*readiness.watch().borrow(), "{:?}", readiness.missing());
    }
}
