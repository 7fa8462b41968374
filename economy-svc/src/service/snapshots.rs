//! The economy from which rates and figures are answered. One task loads it when a call needs a newer one, and publishes it to the calls that
//! wait. It goes on when its caller has gone: otherwise a load that takes longer than the deadline of a call would start again with each call,
//! and never end.

use std::sync::Arc;

use contracts::common::v1::Mode;
use kit::lifecycle::Lifecycle;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::Duration;
use tokio::sync::{Mutex, Notify, watch};

use super::render::on_blocking_thread;
use super::snapshot::{List, Snapshot};
use crate::samples;
use crate::store::{economy, version};

/// Time limit of a load. After a timeout the next call starts another.
const LOAD_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// What the task has loaded.
#[derive(Debug, Clone, Default)]
struct Loaded {
    /// The last load that succeeded. After a load that failed it may still be fresh for some calls.
    snapshot: Option<Arc<Snapshot>>,
    /// Why the last load failed.
    error: Option<Fault>,
}

/// Loads live economies.
#[derive(Debug, Clone)]
struct Loader {
    pool: PgPool,
    clock: Clock,
    late_after: Duration,
    /// Wakes the task.
    wanted: Arc<Notify>,
}

/// The current snapshots: live, and of the samples.
#[derive(Debug)]
pub(super) struct Snapshots {
    loader: Loader,
    live: watch::Receiver<Loaded>,
    samples: Mutex<Option<Arc<Snapshot>>>,
}

impl Snapshots {
    /// Starts the task.
    pub(super) fn start(
        pool: PgPool,
        clock: Clock,
        late_after: Duration,
        lifecycle: &Lifecycle,
    ) -> Self {
        let (publish, live) = watch::channel(Loaded::default());
        let loader = Loader { pool, clock, late_after, wanted: Arc::default() };
        lifecycle.spawn_background("snapshots", loader.clone().run(publish));
        Self { loader, live, samples: Mutex::default() }
    }

    /// The current economy, for a call that reads this list.
    pub(super) async fn current(&self, mode: Mode, list: List) -> Result<Arc<Snapshot>, Fault> {
        match mode {
            Mode::Live => self.current_live(list).await,
            Mode::Test => self.current_samples().await,
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn current_live(&self, list: List) -> Result<Arc<Snapshot>, Fault> {
        let Loader { pool, clock, .. } = &self.loader;
        let asked_at = clock.now();
        let mut version = version::read(pool).await?;
        let mut live = self.live.clone();
        let mut has_waited = false;
        loop {
            let Loaded { snapshot, error } = live.borrow_and_update().clone();
            if let Some(snapshot) = snapshot {
                // A restored database has a new epoch.
                if !snapshot.has_epoch_of(version) {
                    version = version::read(pool).await?;
                }
                if snapshot.is_fresh(version, list, asked_at) {
                    return Ok(snapshot);
                }
            }
            if let Some(error) = error.filter(|_| has_waited) {
                return Err(error);
            }
            self.loader.wanted.notify_one();
            let changed = live.changed().await;
            changed.map_err(|_stopped| Fault::unavailable("the economy"))?;
            has_waited = true;
        }
    }

    async fn current_samples(&self) -> Result<Arc<Snapshot>, Fault> {
        let now = self.loader.clock.now();
        let mut held = self.samples.lock().await;
        // Both lists of the samples are valid as long.
        let is_valid = |it: &&Arc<Snapshot>| it.is_valid(List::Rates, now);
        if let Some(samples) = held.as_ref().filter(is_valid) {
            return Ok(Arc::clone(samples));
        }
        let samples = samples::economy(now)
            .and_then(|economy| Snapshot::new(economy, None, now, self.loader.late_after, None))
            .map_err(|error| Fault::internal(&error))?;
        Ok(Arc::clone(held.insert(Arc::new(samples))))
    }
}

impl Loader {
    async fn run(self, publish: watch::Sender<Loaded>) -> anyhow::Result<()> {
        loop {
            self.wanted.notified().await;
            let before = publish.borrow().snapshot.clone();
            let loaded = match self.load(before.clone()).await {
                Ok(snapshot) => Loaded { snapshot: Some(snapshot), error: None },
                Err(error) => Loaded { snapshot: before, error: Some(error) },
            };
            drop(publish.send_replace(loaded));
        }
    }

    /// The current snapshot, which may be the one before: several calls may have wanted it.
    async fn load(&self, before: Option<Arc<Snapshot>>) -> Result<Arc<Snapshot>, Fault> {
        let (now, late_after) = (self.clock.now(), self.late_after);
        let reading =
            kit::pg::in_time(&self.pool, async |connection| version::read(connection).await);
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
        sqlx::query!("lock table economy.report in access exclusive mode")
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
        let loaded = live.wait_for(|loaded| loaded.snapshot.is_some()).await;
        assert!(loaded.is_ok());
        drop(loaded);
        lifecycle.stopping().cancel();
    }

    /// A load that fails takes nothing from the calls for which the one before is still fresh.
    #[testing::database_test(crate::MIGRATOR)]
    #[expect(clippy::disallowed_methods, reason = "statements of a test")]
    async fn a_failed_load_leaves_the_last_snapshot_to_those_who_may_read_it(pool: PgPool) {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(OffsetDateTime::UNIX_EPOCH + Duration::days(30));
        let fill = "insert into economy.game (id, generation, mode, slug, title, published)
                values ('00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'live', 'bao', 'Bao', true);
            insert into economy.currency values ('00000000-0000-0000-0000-000000000001', 'Cowrie', 'epoch', 'staff');
            insert into economy.report (game_id, at, supply, minted, burned, meal, ride, wage, rent, cost, output, active_players, counted)
                values ('00000000-0000-0000-0000-000000000001', '1970-01-30 12:00Z', 1, 1, 1, 1, 1, 1, 1, 121, 1, 1, true)";
        sqlx::raw_sql(fill).execute(&pool).await.unwrap();
        let snapshots =
            Snapshots::start(pool.clone(), clock.clone(), Duration::HOUR * 20, &lifecycle);
        let current = async |list| snapshots.current(Mode::Live, list).await;
        let first = current(List::Rates).await.unwrap();
        // The currency is late now, and no rate has changed.
        clock.advance(Duration::HOUR * 9);
        let break_loads = "alter table economy.swap rename to swapped";
        sqlx::raw_sql(break_loads).execute(&pool).await.unwrap();
        assert!(current(List::Currencies).await.is_err());
        assert!(Arc::ptr_eq(&current(List::Rates).await.unwrap(), &first));
        lifecycle.stopping().cancel();
    }

    #[testing::database_test(crate::MIGRATOR)]
    #[expect(clippy::disallowed_methods, reason = "statements of a test")]
    async fn a_change_that_no_list_shows_renders_nothing_again(pool: PgPool) {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(OffsetDateTime::UNIX_EPOCH + Duration::days(30));
        // `kora` has no report, so that its currency is not listed.
        let fill = "insert into economy.game (id, generation, mode, slug, title, published)
                select lpad(n::text, 32, '0')::uuid, gen_random_uuid(), 'live', slug, slug, true
                from (values (1, 'bao'), (2, 'mancala'), (3, 'kora')) as game (n, slug);
            insert into economy.currency select id, slug, 'epoch', 'staff' from economy.game;
            insert into economy.report (game_id, at, supply, minted, burned, meal, ride, wage, rent, cost, output, active_players, counted)
                select id, '1970-01-30 12:00Z', 1, 1, 1, 1, 1, 1, 1, 121, 1, 1, true from economy.game where slug <> 'kora'";
        sqlx::raw_sql(fill).execute(&pool).await.unwrap();
        let snapshots = Snapshots::start(pool.clone(), clock.clone(), Duration::DAY, &lifecycle);
        let current = async || snapshots.current(Mode::Live, List::Rates).await.unwrap();
        let rename = async |slug: &str, name: &str| {
            let rename = "update economy.currency set name = $2, changes = changes + 1
                where game_id = (select id from economy.game where slug = $1)";
            sqlx::query(rename).bind(slug).bind(name).execute(&pool).await.unwrap();
        };
        let first = current().await;
        let rates = first.rates(None, None, None).await.unwrap();
        rename("kora", "Shell").await;
        let same = current().await;
        assert!(!Arc::ptr_eq(&same, &first), "the version of the data has changed");
        assert!(same.has_rendered_rates());
        assert_eq!(same.currencies.json.as_ptr(), first.currencies.json.as_ptr());
        // What a list shows is rendered again.
        rename("bao", "Cowrie").await;
        let other = current().await;
        assert!(!other.has_rendered_rates());
        assert_ne!(other.currencies.version, first.currencies.version);
        assert_ne!(other.rates(None, None, None).await.unwrap().version, rates.version);
        // A currency that becomes late is only in the list of currencies.
        clock.advance(Duration::HOUR * 13);
        let late = snapshots.current(Mode::Live, List::Currencies).await.unwrap();
        assert_ne!(late.currencies.version, other.currencies.version);
        lifecycle.stopping().cancel();
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_list_of_all_rates_is_rendered_for_its_first_reader_and_kept(pool: PgPool) {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(OffsetDateTime::UNIX_EPOCH);
        let snapshots = Snapshots::start(pool, clock.clone(), Duration::DAY, &lifecycle);
        let current = async || snapshots.current(Mode::Test, List::Rates).await.unwrap();
        let samples = current().await;
        assert!(!samples.has_rendered_rates());
        samples.rates(Some(0), None, None).await.unwrap();
        assert!(!samples.has_rendered_rates());
        let rates = samples.rates(None, None, None).await.unwrap();
        assert!(samples.has_rendered_rates());
        clock.advance(Duration::minutes(59));
        assert!(Arc::ptr_eq(&current().await, &samples));
        clock.advance(Duration::MINUTE);
        let next = current().await;
        assert!(!Arc::ptr_eq(&next, &samples));
        assert_ne!(next.rates(None, None, None).await.unwrap().version, rates.version);
        lifecycle.stopping().cancel();
    }
}
