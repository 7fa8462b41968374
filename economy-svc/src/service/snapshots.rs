//! The economy from which rates and figures are answered. One task loads and renders it when a call needs a newer one, and publishes it to the
//! calls that wait. It goes on when its caller has gone: otherwise a load that takes longer than the deadline of a call would start again with
//! each call, and never end.

use std::sync::Arc;

use contracts::common::v1::Mode;
use kit::lifecycle::Lifecycle;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::Duration;
use tokio::sync::{Notify, watch};

use super::render::on_blocking_thread;
use super::snapshot::{List, Snapshot};
use crate::samples;
use crate::store::{economy, version};

/// After this time PostgreSQL has vanished, and the next call begins another load.
const LOAD_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// What the task loaded last, or why it could not.
type Loaded = Result<Arc<Snapshot>, Fault>;

/// The current snapshots: live, and of the samples.
#[derive(Debug, Clone)]
pub(super) struct Snapshots {
    pool: PgPool,
    clock: Clock,
    late_after: Duration,
    /// Wakes the task.
    wanted: Arc<Notify>,
    live: watch::Receiver<Loaded>,
}

impl Snapshots {
    /// Starts the task.
    pub(super) fn start(
        pool: PgPool,
        clock: Clock,
        late_after: Duration,
        lifecycle: &Lifecycle,
    ) -> Self {
        let (publish, live) = watch::channel(Err(Fault::unavailable("the economy")));
        let wanted = Arc::new(Notify::new());
        let snapshots = Self {
            pool,
            clock,
            late_after,
            wanted,
            live,
        };
        lifecycle.spawn_background("snapshots", snapshots.clone().run(publish));
        snapshots
    }

    /// The current economy, for a call that reads this list.
    pub(super) async fn current(&self, mode: Mode, list: List) -> Loaded {
        match mode {
            Mode::Live => self.current_live(list).await,
            Mode::Test => {
                let now = self.clock.now();
                let samples = samples::economy(now)
                    .and_then(|economy| Snapshot::new(economy, None, now, self.late_after, None));
                samples
                    .map(Arc::new)
                    .map_err(|error| Fault::internal(&error))
            }
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn current_live(&self, list: List) -> Loaded {
        let asked_at = self.clock.now();
        let mut version = version::read(&self.pool).await?;
        let mut live = self.live.clone();
        let mut has_waited = false;
        loop {
            let loaded = live.borrow_and_update().clone();
            let is_answer = match &loaded {
                Ok(snapshot) => {
                    // A restored database has a new epoch.
                    if !snapshot.has_epoch_of(version) {
                        version = version::read(&self.pool).await?;
                    }
                    let now = self.clock.now();
                    snapshot.at <= now && snapshot.is_fresh(version, list, asked_at.min(now))
                }
                Err(_) => has_waited,
            };
            if is_answer {
                return loaded;
            }
            self.wanted.notify_one();
            let changed = live.changed().await;
            changed.map_err(|_stopped| Fault::unavailable("the economy"))?;
            has_waited = true;
        }
    }

    async fn run(self, publish: watch::Sender<Loaded>) -> anyhow::Result<()> {
        loop {
            self.wanted.notified().await;
            let before = publish.borrow().clone().ok();
            drop(publish.send_replace(self.load(before).await));
        }
    }

    /// The current snapshot, which may be the one before: several calls may have wanted it.
    async fn load(&self, before: Option<Arc<Snapshot>>) -> Loaded {
        let (now, late_after) = (self.clock.now(), self.late_after);
        let before = before.filter(|before| before.at <= now);
        let reading = kit::pg::in_time(&self.pool, async |connection| {
            version::read(connection).await
        });
        let version = reading.await?;
        let is_fresh = |before: &&Arc<Snapshot>| {
            let is_fresh = |list| before.is_fresh(version, list, now);
            is_fresh(List::Rates) && is_fresh(List::Currencies)
        };
        if let Some(before) = before.as_ref().filter(is_fresh) {
            return Ok(Arc::clone(before));
        }
        let loading = kit::pg::within(&self.pool, LOAD_TIMEOUT, async |connection| {
            economy::load(connection, now, late_after).await
        });
        let (version, economy) = loading.await?;
        let render = move || {
            let before = before.as_deref();
            Snapshot::new(economy, Some(version), now, late_after, before)
        };
        on_blocking_thread(render).await.map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use testing::wait_until;
    use time::OffsetDateTime;

    use super::*;

    /// The load takes longer than its caller waits.
    #[testing::database_test(crate::MIGRATOR)]
    async fn a_snapshot_is_loaded_when_its_caller_has_gone(pool: PgPool) {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(OffsetDateTime::UNIX_EPOCH);
        let snapshots = Snapshots::start(pool.clone(), clock, Duration::DAY, &lifecycle);
        let mut slow = kit::pg::begin(&pool).await.unwrap();
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
            _ = snapshots.current(Mode::Live, List::Rates) => unreachable!("the table is locked"),
            () = waits => {}
        }
        slow.rollback().await.unwrap();
        let mut live = snapshots.live.clone();
        let loaded = live.wait_for(Result::is_ok).await;
        assert!(loaded.is_ok());
        drop(loaded);
        lifecycle.stopping().cancel();
    }
}
