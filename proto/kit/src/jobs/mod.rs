//! Jobs of a service, which run in its leader: one replica at a time.
//!
//! The replica that holds the lease `leader` in the service's schema is the leader. As every [lease], it is a hint for who should work: what a
//! job writes must be correct even while two replicas run it for a moment. [`schedule`] has the jobs that run again and again.

mod lease;
mod schedule;

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sqlx::postgres::PgPool;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;

use lease::Lease;
pub use lease::TABLE as LEASE_TABLE;
pub use schedule::TABLE as DAILY_TABLE;

/// Pause before a job is started again that ended, failed or panicked.
const RESTART_PAUSE: Duration = Duration::from_secs(5);

/// Runs jobs while this replica is the leader. Clones share the jobs.
#[derive(Debug, Clone)]
pub struct Leader {
    pub(crate) pool: PgPool,
    pub(crate) schema: Schema,
    pub(crate) clock: Clock,
    jobs: mpsc::UnboundedSender<Job>,
}

#[derive(Clone)]
struct Job {
    name: &'static str,
    work: Arc<dyn Fn() -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync>,
}

impl Leader {
    /// Starts to compete for the lease in the table `lease` of `schema`. When the process drains, the jobs are dropped and then the lease is
    /// released, so that another replica can acquire it while calls still run here.
    pub fn start(lifecycle: &Lifecycle, pool: PgPool, schema: Schema, clock: Clock) -> Self {
        let (jobs, added) = mpsc::unbounded_channel();
        let lease = Lease::new(pool.clone(), schema, "leader", clock.clone());
        let (draining, stopping) = (lifecycle.draining(), lifecycle.stopping());
        lifecycle.spawn_graceful("leader", async move {
            lead(lease, added, draining).await;
            // A task that ends earlier has failed.
            stopping.cancelled().await;
            Ok(())
        });
        Self { pool, schema, clock, jobs }
    }

    /// Adds a job. `work` starts whenever this replica becomes the leader, and is dropped when another one may take its place. If it ends,
    /// fails or panics before that, it starts again after five seconds; the other jobs go on.
    pub fn spawn<F>(&self, name: &'static str, work: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let work = Arc::new(move || work().boxed());
        // The receiver is gone when the process stops.
        drop(self.jobs.send(Job { name, work }));
    }
}

async fn lead(lease: Lease, mut added: mpsc::UnboundedReceiver<Job>, draining: CancellationToken) {
    let is_leader = metrics::gauge!("is_leader");
    is_leader.set(0.0);
    let mut jobs: Vec<Job> = Vec::new();
    while let Some(since) = lease.acquire(&draining).await {
        is_leader.set(1.0);
        // Tasks of their own, so that no job delays the renewal of the lease or another job.
        let mut running = JoinSet::new();
        for job in &jobs {
            running.spawn(job.clone().run());
        }
        let mut lost = pin!(lease.until_lost(since));
        loop {
            tokio::select! {
                Some(job) = added.recv() => {
                    running.spawn(job.clone().run());
                    jobs.push(job);
                }
                () = draining.cancelled() => break,
                () = &mut lost => break,
            }
        }
        // Waits until each job is dropped: none runs twice in this process, nor after the release.
        running.shutdown().await;
        is_leader.set(0.0);
    }
    lease.release().await;
}

impl Job {
    async fn run(self) {
        let Self { name, work } = self;
        loop {
            match AssertUnwindSafe(async { work().await }).catch_unwind().await {
                Ok(Ok(())) => tracing::warn!(job = name, "a job ended; starting it again"),
                Ok(Err(error)) => {
                    let error = format!("{error:#}");
                    tracing::warn!(job = name, error, "a job failed; starting it again");
                }
                Err(_) => tracing::error!(job = name, "a job panicked; starting it again"),
            }
            tokio::time::sleep(RESTART_PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_job_that_panics_fails_or_ends_starts_again() {
        let (sender, mut started) = mpsc::unbounded_channel();
        let starts = AtomicU32::new(0);
        let job = Job {
            name: "test",
            work: Arc::new(move || {
                let start = starts.fetch_add(1, Ordering::Relaxed);
                sender.send(start).unwrap();
                let work = async move {
                    match start {
                        1 => panic!("the second start"),
                        2 => anyhow::bail!("the third start"),
                        _ => Ok(()),
                    }
                };
                assert!(start > 0, "the first start");
                work.boxed()
            }),
        };
        let all_started = async {
            for expected in 0..5 {
                assert_eq!(started.recv().await, Some(expected));
            }
        };
        tokio::select! {
            () = job.run() => {}
            () = all_started => {}
        }
    }
}
