//! The leader of a service on a real PostgreSQL: one replica runs all jobs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kit::jobs::Leader;
use kit::lifecycle::{Shutdown, StopSignals, Supervisor};
use kit::pg::Schema;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testing::wait_until;
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Notify, oneshot};

use crate::lease::tables;

const SCHEMA: Schema = Schema("kit");
const JOBS: [&str; 3] = ["one", "two", "three"];

/// Sent when a job starts: the replica and the job.
type Starts = UnboundedSender<(u8, &'static str)>;

/// Starts a replica whose jobs never end.
fn replica(pool: &PgPool, clock: &Clock, who: u8, starts: &Starts) -> (Lifecycle, Supervisor) {
    let (lifecycle, supervisor) = Lifecycle::new();
    let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, clock.clone());
    for name in JOBS {
        let starts = starts.clone();
        leader.spawn(name, move || {
            let starts = starts.clone();
            async move {
                starts.send((who, name))?;
                std::future::pending().await
            }
        });
    }
    (lifecycle, supervisor)
}

/// Waits until as many jobs have started as a replica has; returns the replica that has started them all.
async fn all_started(starts: &mut UnboundedReceiver<(u8, &'static str)>) -> u8 {
    let mut started = BTreeSet::new();
    while started.len() < JOBS.len() {
        let next = tokio::time::timeout(testing::LONG, starts.recv()).await;
        started.insert(next.unwrap().unwrap());
    }
    let replicas: BTreeSet<u8> = started.iter().map(|(who, _)| *who).collect();
    assert_eq!(replicas.len(), 1, "one replica runs all jobs: {started:?}");
    replicas.into_iter().next().unwrap()
}

async fn leases(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from kit.lease")
        .fetch_one(pool)
        .await
        .unwrap()
}

#[testing::database_test]
async fn another_replica_takes_over_while_the_leader_drains(pool: PgPool) {
    tables(&pool).await;
    let (sender, mut starts) = mpsc::unbounded_channel();
    let clock = Clock::system();
    let mut replicas = [1, 2].map(|who| Some(replica(&pool, &clock, who, &sender)));
    let leader = all_started(&mut starts).await;
    assert_eq!(leases(&pool).await, 1);

    let (lifecycle, supervisor) = replicas[usize::from(leader) - 1].take().unwrap();
    let (end_call, call) = oneshot::channel();
    // A call that runs until another replica leads.
    lifecycle.spawn_server("server", async move { Ok(call.await?) });
    lifecycle.spawn_background("trigger", async { anyhow::bail!("time to go") });
    drop(lifecycle);
    let shutdown = Shutdown {
        delay: Duration::ZERO,
        drain: 10 * testing::LONG,
    };
    let stopped = supervisor.run(StopSignals::catch().unwrap(), shutdown);
    let takes_over = async {
        let next = all_started(&mut starts).await;
        end_call.send(()).unwrap();
        next
    };
    let (stopped, next) = tokio::join!(stopped, takes_over);
    stopped.unwrap_err();
    assert_eq!(next, 3 - leader);
    for (lifecycle, _) in replicas.iter().flatten() {
        lifecycle.stopping().cancel();
    }
}

#[testing::database_test]
async fn another_replica_takes_over_when_the_leader_is_killed(pool: PgPool) {
    tables(&pool).await;
    let (sender, mut starts) = mpsc::unbounded_channel();
    let process = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let own = {
        let _entered = process.enter();
        PgPoolOptions::new().connect_lazy_with((*pool.connect_options()).clone())
    };
    let starting = sender.clone();
    // It keeps the lifecycle and the supervisor until it is killed.
    let running = process.spawn(async move {
        let _replica = replica(&own, &Clock::system(), 1, &starting);
        std::future::pending::<()>().await;
    });
    assert_eq!(all_started(&mut starts).await, 1);
    let clock = Clock::system();
    let (lifecycle, _supervisor) = replica(&pool, &clock, 2, &sender);
    process.shutdown_background();
    assert!(running.await.unwrap_err().is_cancelled());
    assert!(starts.try_recv().is_err(), "the lease has not expired");
    clock.advance(time::Duration::MINUTE);
    assert_eq!(all_started(&mut starts).await, 2);
    lifecycle.stopping().cancel();
}

#[testing::database_test]
async fn a_job_that_panics_or_fails_ends_no_other(pool: PgPool) {
    /// Sends the name of the job when its work is dropped.
    struct Dropped(UnboundedSender<&'static str>, &'static str);
    impl Drop for Dropped {
        fn drop(&mut self) {
            let (Ok(()) | Err(_)) = self.0.send(self.1);
        }
    }
    tables(&pool).await;
    let (lifecycle, _supervisor) = Lifecycle::new();
    let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, Clock::system());
    let (sender, mut dropped) = mpsc::unbounded_channel();
    let (ping, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    for name in ["panics", "fails", "goes on"] {
        let (sender, ping, answered) = (sender.clone(), Arc::clone(&ping), Arc::clone(&answered));
        leader.spawn(name, move || {
            let dropped = Dropped(sender.clone(), name);
            let (ping, answered) = (Arc::clone(&ping), Arc::clone(&answered));
            async move {
                assert_ne!(dropped.1, "panics", "as planned");
                anyhow::ensure!(dropped.1 != "fails", "as planned");
                loop {
                    ping.notified().await;
                    answered.notify_one();
                }
            }
        });
    }
    let going_on = async {
        let mut ended = [dropped.recv().await, dropped.recv().await];
        ended.sort_unstable();
        assert_eq!(ended, [Some("fails"), Some("panics")]);
        ping.notify_one();
        answered.notified().await;
    };
    let both = tokio::time::timeout(testing::LONG, going_on);
    both.await.unwrap();
    lifecycle.stopping().cancel();
}

#[testing::database_test]
async fn the_jobs_of_an_idle_service_renew_one_row(pool: PgPool) {
    tables(&pool).await;
    let (sender, mut starts) = mpsc::unbounded_channel();
    let clock = Clock::system();
    let replicas = [1, 2].map(|who| replica(&pool, &clock, who, &sender));
    all_started(&mut starts).await;
    let expires_at = async || -> String {
        sqlx::query_scalar("select max(expires_at)::text from kit.lease")
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    let first = expires_at().await;
    wait_until("the lease is renewed", async || expires_at().await != first).await;
    assert_eq!(leases(&pool).await, 1);
    for (lifecycle, _) in &replicas {
        lifecycle.stopping().cancel();
    }
}
