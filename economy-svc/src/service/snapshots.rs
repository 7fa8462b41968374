//! A cache of the economy from which rates and figures are computed. Each version is loaded once, while concurrent calls wait.

use std::sync::Arc;

use contracts::common::v1::Mode;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::Duration;
use tokio::sync::Mutex;

use super::snapshot::Snapshot;
use crate::samples;
use crate::store::economy;
use crate::store::version;

/// The current snapshots: live, and of the samples.
#[derive(Debug)]
pub(super) struct SnapshotCache {
    pool: PgPool,
    clock: Clock,
    late_after: Duration,
    live: Mutex<Option<Arc<Snapshot>>>,
    samples: Mutex<Option<Arc<Snapshot>>>,
}

impl SnapshotCache {
    pub(super) fn new(pool: PgPool, clock: Clock, late_after: Duration) -> Self {
        Self {
            pool,
            clock,
            late_after,
            live: Mutex::default(),
            samples: Mutex::default(),
        }
    }

    /// The current economy.
    pub(super) async fn current(&self, mode: Mode) -> Result<Arc<Snapshot>, Fault> {
        match mode {
            Mode::Live => self.current_live().await,
            Mode::Test => self.current_samples().await,
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn current_live(&self) -> Result<Arc<Snapshot>, Fault> {
        let version = version::read(&self.pool).await?;
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
