//! A cache of the economy from which rates and figures are computed. Each version is loaded and rendered once, while concurrent calls wait.
//! Loading and rendering go on when their caller has gone: otherwise a load that takes longer than the deadline of a call would start again
//! with each call, and never end.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use contracts::common::v1::Mode;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::Duration;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use super::rate_lists::{MAX_LISTS, RateList};
use super::render;
use super::snapshot::Snapshot;
use crate::samples;
use crate::store::economy;
use crate::store::version::{self, Version};

/// The current snapshots: live, and of the samples.
#[derive(Debug)]
pub(super) struct SnapshotCache {
    pool: PgPool,
    clock: Clock,
    late_after: Duration,
    live: Mutex<Option<Arc<Snapshot>>>,
    samples: Mutex<Option<Arc<Snapshot>>>,
    /// Limits the lists of live rates, of the current version and of earlier ones.
    lists: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl SnapshotCache {
    pub(super) fn new(pool: PgPool, clock: Clock, late_after: Duration) -> Self {
        Self {
            pool,
            clock,
            late_after,
            live: Mutex::default(),
            samples: Mutex::default(),
            lists: Arc::new(Semaphore::new(MAX_LISTS)),
            tasks: TaskTracker::new(),
        }
    }

    /// Runs work in a task, which goes on when its caller has gone.
    async fn detached<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Fault>> + Send + 'static,
    ) -> Result<T, Fault> {
        let done = self.tasks.spawn(work.in_current_span()).await;
        done.unwrap_or_else(|error| Err(Fault::internal(&error)))
    }

    /// The list of all rates of a snapshot.
    pub(super) async fn rates(
        self: &Arc<Self>,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Arc<RateList>, Fault> {
        let (cache, snapshot) = (Arc::clone(self), Arc::clone(snapshot));
        self.detached(async move {
            let rendered = snapshot.rates.get_or_try_init(async || {
                let rendering = Arc::clone(&snapshot);
                let render = move || render::rates(&rendering.economy, None, None);
                let permit = cache.permit(&snapshot)?;
                let chunks = render::on_blocking_thread(render).await?;
                Ok::<_, Fault>(Arc::new(RateList::new(chunks, permit)))
            });
            rendered.await.map(Arc::clone)
        })
        .await
    }

    /// The JSON list of all currencies of a snapshot.
    pub(super) async fn currencies(&self, snapshot: &Arc<Snapshot>) -> Result<Bytes, Fault> {
        let snapshot = Arc::clone(snapshot);
        self.detached(async move {
            let rendered = snapshot.currencies.get_or_try_init(|| {
                let rendering = Arc::clone(&snapshot);
                let (now, late_after) = (snapshot.at, snapshot.late_after);
                render::on_blocking_thread(move || {
                    render::currencies(&rendering.economy, now, late_after)
                })
            });
            rendered.await.cloned()
        })
        .await
    }

    /// The permit for the list of a snapshot; samples need none.
    ///
    /// # Errors
    /// `unavailable`: as many lists as allowed are being read.
    fn permit(&self, snapshot: &Snapshot) -> Result<Option<OwnedSemaphorePermit>, Fault> {
        if snapshot.data_version.is_none() {
            return Ok(None);
        }
        let permit = Arc::clone(&self.lists).try_acquire_owned();
        permit.map(Some).map_err(|_none| {
            Fault::unavailable("the rates: too many versions of them are read at once")
        })
    }

    /// The current economy.
    pub(super) async fn current(self: &Arc<Self>, mode: Mode) -> Result<Arc<Snapshot>, Fault> {
        match mode {
            Mode::Live => self.current_live().await,
            Mode::Test => self.current_samples().await,
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn current_live(self: &Arc<Self>) -> Result<Arc<Snapshot>, Fault> {
        let version = version::read(&self.pool).await?;
        let cache = Arc::clone(self);
        self.detached(async move { cache.load_live(version).await })
            .await
    }

    /// The live economy of this version or a newer one.
    async fn load_live(&self, version: Version) -> Result<Arc<Snapshot>, Fault> {
        // Concurrent calls wait here while one of them loads.
        let mut cached = self.live.lock().await;
        let now = self.clock.now();
        if let Some(snapshot) = cached
            .as_ref()
            .filter(|snapshot| snapshot.is_fresh(Some(version), now))
        {
            return Ok(Arc::clone(snapshot));
        }
        let (version, economy) = economy::load(&self.pool, now, self.late_after).await?;
        let snapshot = Snapshot::new(economy, Some(version), now, self.late_after);
        let snapshot = Arc::new(snapshot);
        *cached = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    async fn current_samples(&self) -> Result<Arc<Snapshot>, Fault> {
        let mut cached = self.samples.lock().await;
        let now = self.clock.now();
        if let Some(snapshot) = cached
            .as_ref()
            .filter(|snapshot| snapshot.is_fresh(None, now))
        {
            return Ok(Arc::clone(snapshot));
        }
        let economy = samples::economy(now).map_err(|error| Fault::internal(&error))?;
        let snapshot = Arc::new(Snapshot::new(economy, None, now, self.late_after));
        *cached = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use testing::wait_until;
    use time::OffsetDateTime;

    use super::*;

    /// Loading takes longer than the caller waits.
    #[testing::database_test(crate::MIGRATOR)]
    async fn a_snapshot_is_loaded_when_its_caller_has_gone(pool: PgPool) {
        let clock = Clock::fixed(OffsetDateTime::UNIX_EPOCH);
        let cache = SnapshotCache::new(pool.clone(), clock, Duration::DAY);
        let cache = Arc::new(cache);
        let mut slow = pool.begin().await.unwrap();
        sqlx::query!("lock table economy.currency in access exclusive mode")
            .execute(&mut *slow)
            .await
            .unwrap();
        let waits = wait_until("the load waits for the lock", async || {
            let waiting = sqlx::query_scalar!(
                r#"select exists (
                       select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                   ) as "exists!""#
            );
            waiting.fetch_one(&pool).await.unwrap()
        });
        // The caller gives up then.
        tokio::select! {
            _ = cache.current(Mode::Live) => unreachable!("the table is locked"),
            () = waits => {}
        }
        slow.rollback().await.unwrap();
        wait_until("the snapshot is loaded", async || {
            cache.live.lock().await.is_some()
        })
        .await;
    }
}
