//! Compares the machine's clock with PostgreSQL's. A replica whose clock is wrong at its start is not ready.
//!
//! Replicas use PostgreSQL's time ([`pg::now`]) for what they must agree on. Times in rows and answers come from the clock of the replica,
//! which must therefore be about right. A replica that is ready stays ready when the clocks come to differ: if PostgreSQL's clock is the wrong
//! one, all replicas would stop at once.

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::admin::Condition;
use crate::clock::Clock;
use crate::pg;

/// A larger difference is wrong.
const LIMIT: time::Duration = time::Duration::seconds(2);
/// How often the clocks are compared until they agree.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long PostgreSQL may take to tell its time.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Compares the clocks until they agree, then sets `agreed`.
pub(crate) async fn until_agreed(pool: PgPool, agreed: Condition) {
    while !agree(&pool, &agreed).await {
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Compares the clocks. Nothing changes while PostgreSQL does not answer.
pub(crate) async fn agree(pool: &PgPool, agreed: &Condition) -> bool {
    // A clock that tests have moved differs on purpose.
    let clock = Clock::system();
    let asking = pg::within(pool, TIMEOUT, async |connection| {
        let before = clock.now();
        let there = pg::now(connection, &clock).await?;
        Ok(ahead(before, there, clock.now()))
    });
    match asking.await {
        Ok(ahead) if ahead.abs() <= LIMIT => {
            agreed.set(true);
            true
        }
        Ok(ahead) => {
            let seconds = ahead.as_seconds_f64();
            let problem = format!(
                "the clock differs by {seconds:+.1} s from PostgreSQL's; set this machine's clock"
            );
            tracing::error!("{problem}");
            agreed.fail(problem);
            false
        }
        Err(error) => {
            tracing::debug!(%error, "cannot compare the clock with PostgreSQL's");
            false
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
        // A comparison that takes too long has no result, so try again.
        for (behind, expected) in [(604_800, "+604"), (-600, "-")] {
            let elsewhere = testing::postgres::behind(&pool, behind).await.unwrap();
            let says = format!("the clock differs by {expected}");
            wait_until(&says, async || {
                assert!(!agree(&elsewhere, &agreed).await);
                readiness.missing()[0].starts_with(&says)
            })
            .await;
            assert!(!*readiness.watch().borrow());
        }
        until_agreed(pool, agreed).await;
        assert!(*readiness.watch().borrow(), "{:?}", readiness.missing());
    }
}
