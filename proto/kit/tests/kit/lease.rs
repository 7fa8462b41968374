//! Leases on a real PostgreSQL: one process works at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::jobs::{LEASE_TABLE, Leader};
use kit::lifecycle::{StopSignals, Supervisor};
use kit::pg::Schema;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::macros::datetime;
use tokio::sync::mpsc;

const SCHEMA: Schema = Schema("kit");

/// Spawns work that sends `who` whenever it starts, and then never ends.
fn spawn_work(
    pool: &PgPool,
    clock: &Clock,
    who: u8,
    working: &Arc<AtomicUsize>,
) -> (Lifecycle, Supervisor, mpsc::UnboundedReceiver<u8>) {
    let (lifecycle, supervisor) = Lifecycle::new();
    let (sender, taken) = mpsc::unbounded_channel();
    let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, clock.clone());
    let working = Arc::clone(working);
    leader.spawn("work", move || {
        let (sender, working) = (sender.clone(), Arc::clone(&working));
        async move {
            assert_eq!(working.fetch_add(1, Ordering::SeqCst), 0, "two work at once");
            sender.send(who).unwrap();
            std::future::pending().await
        }
    });
    (lifecycle, supervisor, taken)
}

async fn next(taken: &mut mpsc::UnboundedReceiver<u8>) -> u8 {
    tokio::time::timeout(testing::LONG, taken.recv()).await.unwrap().unwrap()
}

#[testing::database_test]
async fn an_expired_lease_is_acquired_by_another_process(pool: PgPool) {
    tables(&pool).await;
    // A killed process holds the lease.
    let (clock, term) =
        (Clock::fixed(datetime!(2026-03-01 08:00 UTC)), time::Duration::seconds(10));
    let dead = "insert into kit.lease values ('leader', gen_random_uuid(), $1)";
    sqlx::query(dead).bind(clock.now() + term).execute(&pool).await.unwrap();
    let (lifecycle, supervisor, mut taken) = spawn_work(&pool, &clock, 2, &Arc::default());
    assert!(taken.try_recv().is_err(), "it has not expired");
    clock.advance(term);
    assert_eq!(next(&mut taken).await, 2);
    stop(lifecycle, supervisor).await;
}

#[testing::database_test]
async fn a_process_whose_clock_is_ahead_waits_for_a_lease(pool: PgPool) {
    tables(&pool).await;
    let behind = testing::postgres::behind(&pool, 604_800).await.unwrap();
    let held = "insert into kit.lease values ('leader', gen_random_uuid(), clock_timestamp() + interval '19 s')";
    sqlx::query(held).execute(&behind).await.unwrap();
    let (lifecycle, _supervisor, mut taken) =
        spawn_work(&behind, &Clock::system(), 1, &Arc::default());
    testing::wait_until("it has tried twice", async || {
        let calls = sqlx::query_scalar("select last_value from behind.calls");
        calls.fetch_one(&pool).await.unwrap_or(0_i64) > 2
    })
    .await;
    assert!(taken.try_recv().is_err(), "another holds the lease");
    // PostgreSQL records a row lock in `xmax`.
    let unlocked = "select xmax = 0 from kit.lease";
    let unlocked: bool = sqlx::query_scalar(unlocked).fetch_one(&pool).await.unwrap();
    assert!(unlocked, "a process that waits writes nothing");

    let expired = "update kit.lease set expires_at = clock_timestamp()";
    sqlx::query(expired).execute(&behind).await.unwrap();
    assert_eq!(next(&mut taken).await, 1);
    let term = "select expires_at <= clock_timestamp() + interval '10 s' from kit.lease";
    let term: bool = sqlx::query_scalar(term).fetch_one(&behind).await.unwrap();
    assert!(term, "it expires by PostgreSQL's time too");
    lifecycle.stopping().cancel();
}

async fn stop(lifecycle: Lifecycle, supervisor: Supervisor) {
    drop(lifecycle);
    let mut signals = StopSignals::catch().unwrap();
    supervisor.stop(&mut signals, testing::LONG).await;
}

#[testing::database_test]
async fn a_process_that_stops_releases_its_lease(pool: PgPool) {
    tables(&pool).await;
    let clock = Clock::system();
    let working = Arc::default();
    for who in [1, 2] {
        let (lifecycle, supervisor, mut taken) = spawn_work(&pool, &clock, who, &working);
        assert_eq!(next(&mut taken).await, who);
        stop(lifecycle, supervisor).await;
        working.store(0, Ordering::SeqCst);
        let held: bool = sqlx::query_scalar("select exists (select from kit.lease)")
            .fetch_one(&pool)
            .await
            .unwrap();
        assert!(!held, "another may acquire it at once");
    }
}

/// Sends 0 when the work is dropped.
struct Dropped(mpsc::UnboundedSender<u8>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let (Ok(()) | Err(_)) = self.0.send(0);
    }
}

#[testing::database_test]
async fn a_holder_whose_lease_was_taken_drops_its_work(pool: PgPool) {
    tables(&pool).await;
    let (lifecycle, _supervisor) = Lifecycle::new();
    let (sender, mut told) = mpsc::unbounded_channel();
    let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, Clock::system());
    leader.spawn("work", move || {
        let dropped = Dropped(sender.clone());
        async move {
            dropped.0.send(1).unwrap();
            std::future::pending().await
        }
    });
    assert_eq!(next(&mut told).await, 1);
    let taken = "update kit.lease set holder = gen_random_uuid(), expires_at = 'infinity'";
    sqlx::query(taken).execute(&pool).await.unwrap();
    assert_eq!(next(&mut told).await, 0);
    lifecycle.stopping().cancel();
}

pub(crate) async fn tables(pool: &PgPool) {
    run(pool, &format!("create schema kit; {LEASE_TABLE}")).await;
}

async fn run(pool: &PgPool, sql: &str) {
    let sql = sqlx::AssertSqlSafe(sql.to_owned());
    sqlx::raw_sql(sql).execute(pool).await.unwrap();
}
