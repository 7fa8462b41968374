//! Holds the newest snapshot, and lets readers wait for a position.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use contracts::common::v1 as common;
use kit::Fault;
use kit::feed::Position;
use tokio::sync::watch;

use super::snapshot::Snapshot;
use crate::domain::listing::Mode;

/// Counts reads at whose position this replica had not arrived in time.
const READS_BEHIND: &str = "catalogue_reads_behind_total";

/// Holds the newest snapshot. By default its readers do not wait for a position.
#[derive(Debug, Default)]
pub struct Catalogue {
    snapshot: ArcSwapOption<Snapshot>,
    /// Notified of each published snapshot.
    published: watch::Sender<()>,
    patience: Duration,
}

impl Catalogue {
    /// An empty catalogue. Its readers wait up to `patience` for a snapshot that reaches their position (§1).
    pub fn new(patience: Duration) -> Self {
        // The series exists before the first such read: a series that is absent is not one that is zero.
        metrics::counter!(READS_BEHIND).increment(0);
        Self {
            patience,
            ..Self::default()
        }
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

    /// The newest snapshot. Waits up to `patience` for one that reaches `at_least`; `None` if there is none by then. An older snapshot may
    /// show what was changed or taken down since.
    ///
    /// A position of another epoch is not waited for. It is that of listings which were restored, or were so since; nobody can say which
    /// snapshot is older, and a rebuild takes minutes, in which reads go on.
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

    /// Waits for a snapshot that reaches `wanted`. False if this replica follows another epoch.
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

    /// Whether the newest snapshot reaches `wanted`; `None`: not yet, but it will soon. `Some(false)`: `wanted` is of an epoch that this
    /// replica does not follow. Waiting would be in vain, since a rebuild takes minutes.
    fn has_reached(&self, wanted: &common::Position) -> Option<bool> {
        let position = self.snapshot.load().as_ref()?.position;
        let wanted = Position::try_from(wanted).ok();
        match wanted.filter(|wanted| wanted.epoch == position.epoch) {
            Some(wanted) => (position.seq >= wanted.seq).then_some(true),
            None => Some(false),
        }
    }

    /// Makes `snapshot` the newest.
    pub fn publish(&self, snapshot: impl Into<Arc<Snapshot>>) {
        let snapshot = snapshot.into();
        for mode in [Mode::Live, Mode::Test] {
            let dataset = snapshot.dataset(mode);
            for (kind, rows) in [
                ("games", dataset.games.len()),
                ("creators", dataset.creators.len()),
                ("events", dataset.events.len()),
                ("cities", dataset.cities.len()),
            ] {
                let rows = f64::from(u32::try_from(rows).unwrap_or(u32::MAX));
                metrics::gauge!("catalogue_rows", "kind" => kind, "mode" => mode.as_str())
                    .set(rows);
            }
        }
        self.snapshot.store(Some(snapshot));
        self.published.send_replace(());
    }
}
