//! Jobs that the leader of a service runs at a fixed interval.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::clock::Clock;
use crate::leader::Leader;
use crate::pg;

/// How long one run of a job may take. A statement that PostgreSQL never answers would otherwise hold the job for ever: the lease of
/// the leader is renewed over other connections. A long job commits as it goes, and its next run continues.
pub(crate) const MAX_RUN: Duration = Duration::from_hours(1);

impl Leader {
    /// Adds a job that runs at a fixed interval, such as the deletion of old rows. Unlike a [daily](Self::spawn_daily) job it stores no
    /// time of the last run: it also runs when a replica becomes the leader.
    ///
    /// `work` gets PostgreSQL's time and returns the number of rows that it changed. An error is logged, and the job runs again after the
    /// interval. So does a run that takes an hour, which is dropped.
    pub fn spawn_periodic<F>(
        &self,
        name: &'static str,
        interval: Duration,
        work: impl Fn(OffsetDateTime) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = anyhow::Result<u64>> + Send + 'static,
    {
        let (pool, clock) = (self.pool.clone(), self.clock.clone());
        self.spawn(name, move || {
            let (pool, now, work) = (pool.clone(), clock.clone(), work.clone());
            run(name, interval, clock.clone(), move || {
                let (pool, now, work) = (pool.clone(), now.clone(), work.clone());
                async move { work(pg::now_in_time(&pool, &now).await?).await }
            })
        });
    }
}

async fn run<F>(
    name: &'static str,
    interval: Duration,
    clock: Clock,
    mut work: impl FnMut() -> F,
) -> anyhow::Result<()>
where
    F: Future<Output = anyhow::Result<u64>>,
{
    loop {
        let ran = timeout(MAX_RUN, work()).await;
        match ran.context("it has run for an hour").flatten() {
            Ok(0) => {}
            Ok(rows) => tracing::info!(job = name, rows, "a periodic job is done"),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(
                    job = name,
                    error,
                    "a periodic job failed; it runs again after its interval"
                );
            }
        }
        clock.sleep(interval).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use time::macros::datetime;

    use super::*;

    #[tokio::test]
    async fn a_job_runs_at_once_and_after_each_interval_even_if_it_fails() {
        let clock = Clock::fixed(datetime!(2026-03-01 00:00 UTC));
        let runs = Arc::new(AtomicU64::new(0));
        let work = || {
            let run = runs.fetch_add(1, Ordering::Relaxed);
            async move {
                anyhow::ensure!(run > 0, "the first run fails");
                Ok(run)
            }
        };
        let hour = Duration::from_hours(1);
        let mut job = std::pin::pin!(run("test", hour, clock.clone(), work));
        for expected in [1, 2, 3] {
            assert!(futures::poll!(job.as_mut()).is_pending());
            assert!(futures::poll!(job.as_mut()).is_pending());
            assert_eq!(runs.load(Ordering::Relaxed), expected);
            clock.advance(time::Duration::HOUR);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_hangs_is_dropped_after_an_hour() {
        let (sender, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let work = || {
            sender.send(()).unwrap();
            std::future::pending()
        };
        let job = run("test", Duration::ZERO, Clock::system(), work);
        let both = async {
            begun.recv().await.unwrap();
            begun.recv().await.unwrap();
        };
        tokio::select! {
            ended = job => panic!("{ended:?}"),
            () = both => {}
            () = tokio::time::sleep(3 * MAX_RUN) => panic!("the first run goes on"),
        }
    }
}
