//! A cache of the economy that rates and figures are computed from. Each version is loaded and rendered once; concurrent calls wait for it.

use std::sync::Arc;

use bytes::Bytes;
use contracts::common::v1::Mode;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::sync::{Mutex, OnceCell};

use super::render;
use crate::domain::economy::Economy;
use crate::samples;
use crate::store::economy;
use crate::store::version::{self, Version};

/// An economy and the answers rendered from it.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Identifies the content; the same at every replica.
    pub version: String,
    pub economy: Economy,
    /// When it was loaded.
    at: OffsetDateTime,
    late: Duration,
    /// `None`: samples.
    data_version: Option<Version>,
    rates: OnceCell<Arc<[Bytes]>>,
    currencies: OnceCell<Bytes>,
}

impl Snapshot {
    fn new(
        economy: Economy,
        data_version: Option<Version>,
        at: OffsetDateTime,
        late: Duration,
    ) -> Self {
        // The clock changes the content of one data version at certain times: the next of these identifies the content.
        let until = economy
            .valid_until
            .map_or(0, OffsetDateTime::unix_timestamp_nanos);
        let version = data_version.map_or_else(
            || format!("samples-{until:x}"),
            |Version { epoch, seq, games }| {
                format!("{}-{seq:x}-{games:x}-{until:x}", epoch.simple())
            },
        );
        Self {
            version,
            economy,
            at,
            late,
            data_version,
            rates: OnceCell::new(),
            currencies: OnceCell::new(),
        }
    }

    /// Whether it may answer, at `now`, a call that has read this version. It may be newer: another call may have loaded it while this one
    /// waited.
    fn is_fresh(&self, read: Option<Version>, now: OffsetDateTime) -> bool {
        let is_new_enough = match (self.data_version, read) {
            (Some(loaded), Some(read)) => loaded.reaches(read),
            (loaded, read) => loaded == read,
        };
        let is_in_time = self.economy.valid_until.is_none_or(|until| now < until);
        // After the clock was set back, a snapshot of the future is not fresh.
        is_new_enough && is_in_time && self.at <= now
    }

    /// The JSON list of all rates, in chunks.
    pub(super) async fn rates(self: &Arc<Self>) -> Result<Arc<[Bytes]>, Fault> {
        let rendered = self.rates.get_or_try_init(|| {
            let snapshot = Arc::clone(self);
            render::on_blocking_thread(move || render::rates(&snapshot.economy, None, None))
        });
        rendered.await.map(Arc::clone)
    }

    /// The JSON list of all currencies.
    pub(super) async fn currencies(self: &Arc<Self>) -> Result<Bytes, Fault> {
        let rendered = self.currencies.get_or_try_init(|| {
            let snapshot = Arc::clone(self);
            let (now, late) = (self.at, self.late);
            render::on_blocking_thread(move || render::currencies(&snapshot.economy, now, late))
        });
        rendered.await.cloned()
    }
}

/// The current snapshots: live, and of the samples.
#[derive(Debug)]
pub(super) struct SnapshotCache {
    pool: PgPool,
    clock: Clock,
    late: Duration,
    live: Mutex<Option<Arc<Snapshot>>>,
    samples: Mutex<Option<Arc<Snapshot>>>,
    /// Loads of past times run one at a time.
    past_load: Mutex<()>,
}

impl SnapshotCache {
    pub(super) fn new(pool: PgPool, clock: Clock, late: Duration) -> Self {
        Self {
            pool,
            clock,
            late,
            live: Mutex::default(),
            samples: Mutex::default(),
            past_load: Mutex::default(),
        }
    }

    /// The current economy.
    pub(super) async fn now(&self, mode: Mode) -> Result<Arc<Snapshot>, Fault> {
        match mode {
            Mode::Live => self.live_now().await,
            Mode::Test => self.samples_now().await,
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn live_now(&self) -> Result<Arc<Snapshot>, Fault> {
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
        let (version, economy) = economy::load(&self.pool, now, self.late).await?;
        let snapshot = Arc::new(Snapshot::new(economy, Some(version), now, self.late));
        *cached = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    async fn samples_now(&self) -> Result<Arc<Snapshot>, Fault> {
        let mut cached = self.samples.lock().await;
        let now = self.clock.now();
        if let Some(snapshot) = cached
            .as_ref()
            .filter(|snapshot| snapshot.is_fresh(None, now))
        {
            return Ok(Arc::clone(snapshot));
        }
        let economy = samples::economy(now).map_err(|error| Fault::internal(&error))?;
        let snapshot = Arc::new(Snapshot::new(economy, None, now, self.late));
        *cached = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The economy at a past time.
    pub(super) async fn at(&self, mode: Mode, at: OffsetDateTime) -> Result<Arc<Snapshot>, Fault> {
        let now = self.clock.now();
        if at > now {
            return Err(Fault::invalid_field("at", "It must be a time in the past."));
        }
        if mode == Mode::Test {
            // Samples are dated relative to now and are the same at every time.
            return self.samples_now().await;
        }
        let _guard = self.past_load.lock().await;
        let (version, economy) = economy::load(&self.pool, at, self.late).await?;
        // The clock changes nothing about the past.
        let economy = Economy {
            valid_until: Some(at),
            ..economy
        };
        Ok(Arc::new(Snapshot::new(
            economy,
            Some(version),
            at,
            self.late,
        )))
    }
}
