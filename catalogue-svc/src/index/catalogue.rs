//! Holds the newest snapshot, and lets readers wait for a position.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use contracts::common::v1 as common;
use kit::Fault;
use kit::feed::Position;
use tokio::sync::watch;

use super::snapshot::Snapshot;

/// Counts reads at whose position this replica had not arrived in time.
const READS_BEHIND: &str = "catalogue_reads_behind_total";

/// Holds the newest snapshot. By default its readers do not wait for a position.
#[derive(Debug, Default)]
pub struct Catalogue {
    snapshot: ArcSwapOption<Snapshot>,
    /// Notified of each published snapshot.
    published: watch::Sender<()>,
    /// Whether the next snapshot is built from the beginning of the feed, which takes minutes.
    is_rebuilding: AtomicBool,
    patience: Duration,
}

impl Catalogue {
    /// An empty catalogue. Its readers wait up to `patience` for a snapshot that reaches their position (§1).
    pub fn new(patience: Duration) -> Self {
        // The series exists before the first such read: a series that is absent is not one that is zero.
        metrics::counter!(READS_BEHIND).increment(0);
        Self { patience, ..Self::default() }
    }

    /// The newest snapshot.
    ///
    /// # Errors
    /// [`kit::Code::Unavailable`] until the first snapshot is published.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Fault> {
        self.snapshot
            .load_full()
            .ok_or_else(|| Fault::unavailable("the catalogue, which is still being loaded"))
    }

    /// Waits until the first snapshot is published.
    pub async fn loaded(&self) {
        let mut published = self.published.subscribe();
        while self.snapshot.load().is_none() {
            // It cannot fail: the sender lives as long as the catalogue.
            published.changed().await.ok();
        }
    }

    /// The newest snapshot. Waits up to `patience` for one that reaches `at_least`; `None` if there is none by then. An older snapshot may
    /// show what was changed or taken down since.
    ///
    /// A position of a newer epoch is waited for as well: a replica that follows the feed meets that epoch in a moment, and a small catalogue
    /// is soon rebuilt. Reads that come while it is rebuilt go on without waiting. An epoch that this replica has left does not come back.
    ///
    /// # Errors
    /// As [`Catalogue::snapshot`].
    pub async fn snapshot_at(
        &self,
        at_least: Option<&common::Position>,
    ) -> Result<Option<Arc<Snapshot>>, Fault> {
        let Some(wanted) = at_least else {
            return self.snapshot().map(Some);
        };
        let reached = tokio::time::timeout(self.patience, self.reach(wanted)).await;
        if !matches!(reached, Ok(true)) {
            metrics::counter!(READS_BEHIND).increment(1);
        }
        let snapshot = self.snapshot()?;
        Ok(reached.is_ok().then_some(snapshot))
    }

    /// Waits for a snapshot that reaches `wanted`. False if waiting would be in vain.
    async fn reach(&self, wanted: &common::Position) -> bool {
        // Most reads need not wait, and a subscription takes a lock that all readers share.
        if let Some(reached) = self.has_reached(wanted) {
            return reached;
        }
        let mut published = self.published.subscribe();
        loop {
            // Subscribe first, then look: what is published in between is not missed.
            if let Some(reached) = self.has_reached(wanted) {
                return reached;
            }
            // It cannot fail: the sender lives as long as the catalogue.
            published.changed().await.ok();
        }
    }

    /// Whether the newest snapshot reaches `wanted`, or `None` if it will soon.
    fn has_reached(&self, wanted: &common::Position) -> Option<bool> {
        let position = self.snapshot.load().as_ref()?.position;
        let Ok(wanted) = Position::try_from(wanted) else {
            return Some(false);
        };
        if wanted.epoch == position.epoch {
            return (position.seq >= wanted.seq).then_some(true);
        }
        let will_come =
            wanted.is_of_newer_epoch(position) && !self.is_rebuilding.load(Ordering::Relaxed);
        (!will_come).then_some(false)
    }

    /// The next snapshot is built from the beginning of the feed.
    pub fn begin_rebuild(&self) {
        self.is_rebuilding.store(true, Ordering::Relaxed);
    }

    /// Makes `snapshot` the newest.
    pub fn publish(&self, snapshot: impl Into<Arc<Snapshot>>) {
        self.snapshot.store(Some(snapshot.into()));
        self.is_rebuilding.store(false, Ordering::Relaxed);
        self.published.send_replace(());
    }
}
