//! Leases against a real PostgreSQL: one works at a time, and work passes on.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test; its schema is the kit's own"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kit::feed::CONSUMER_TABLES;
use kit::lease::Lease;
use kit::pg::Schema;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::sync::mpsc;

const SCHEMA: Schema = Schema("kit");

/// Claims the work in the name of `who`; whenever it is taken up, says so, and goes on for ever.
fn claim(
    pool: &PgPool,
    clock: &Clock,
    who: u8,
    working: &Arc<AtomicUsize>,
) -> (Lifecycle, mpsc::UnboundedReceiver<u8>) {
    let (lifecycle, _) = Lifecycle::new();
    let (sender, taken) = mpsc::unbounded_channel();
    let lease = Lease::new(pool.clone(), SCHEMA, "work", clock.clone());
    let working = Arc::clone(working);
    lifecycle.background(
        "work",
        lease.run(move || {
            let (sender, working) = (sender.clone(), Arc::clone(&working));
            async move {
                assert_eq!(
                    working.fetch_add(1, Ordering::SeqCst),
                    0,
                    "two work at once"
                );
                sender.send(who)?;
                std::future::pending().await
            }
        }),
    );
    (lifecycle, taken)
}

async fn next(taken: &mut mpsc::UnboundedReceiver<u8>) -> u8 {
    tokio::time::timeout(Duration::from_secs(30), taken.recv())
        .await
        .unwrap()
        .unwrap()
}

#[sqlx::test]
async fn work_is_done_by_one_and_passes_on_when_the_term_is_over(pool: PgPool) {
    let sql = format!("create schema kit; {CONSUMER_TABLES}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
        .execute(&pool)
        .await
        .unwrap();
    let clock = Clock::system();
    let working = Arc::default();
    let (first, mut taken_by_first) = claim(&pool, &clock, 1, &working);
    assert_eq!(next(&mut taken_by_first).await, 1);
    let (second, mut taken_by_second) = claim(&pool, &clock, 2, &working);

    // The first dies without a word; the second waits until the term is over by the clock.
    first.stopping().cancel();
    working.store(0, Ordering::SeqCst);
    assert!(taken_by_second.try_recv().is_err(), "the term is not over");
    clock.advance(time::Duration::seconds(11));
    assert_eq!(next(&mut taken_by_second).await, 2);
    second.stopping().cancel();
}

#[sqlx::test]
async fn work_that_is_done_lets_go_at_once(pool: PgPool) {
    let sql = format!("create schema kit; {CONSUMER_TABLES}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
        .execute(&pool)
        .await
        .unwrap();
    let clock = Clock::system();
    for _ in 0..3 {
        let lease = Lease::new(pool.clone(), SCHEMA, "work", clock.clone());
        lease.run(async || Ok(())).await.unwrap();
    }
}
