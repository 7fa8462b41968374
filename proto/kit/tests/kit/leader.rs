//! The leader of a service on a real PostgreSQL: one replica runs all jobs.

use std::collections::BTreeSet;
use std::time::Duration;

use kit::jobs::Leader;
use kit::lifecycle::{Shutdown, StopSignals, Supervisor};
use kit::pg::Schema;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

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

/// Waits until all jobs have started; returns the one replica that has started them.
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
    sqlx::query_scalar("select count(*) from kit.lease").fetch_one(pool).await.unwrap()
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
    // This call keeps the process draining until another replica leads.
    lifecycle.spawn_server("server", async move { Ok(call.await?) });
    lifecycle.spawn_background("trigger", async { anyhow::bail!("time to go") });
    drop(lifecycle);
    let shutdown = Shutdown { delay: Duration::ZERO, drain: 10 * testing::LONG };
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
