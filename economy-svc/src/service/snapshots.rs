//! What rates and figures are made of, kept as long as it holds: worked out once a version, whoever asks and however many at once.

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

/// An economy, and the answers that are made of it.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Names the content: the same at every replica.
    pub version: String,
    pub economy: Economy,
    /// When it was worked out.
    at: OffsetDateTime,
    late: Duration,
    of: Option<Version>,
    rates: OnceCell<Arc<[Bytes]>>,
    currencies: OnceCell<Bytes>,
}

impl Snapshot {
    fn new(economy: Economy, of: Option<Version>, at: OffsetDateTime, late: Duration) -> Self {
        // Between two moments at which the clock changes something, the content of a version is one; the next such moment names which.
        let until = economy
            .valid_until
            .map_or(0, OffsetDateTime::unix_timestamp_nanos);
        let version = of.map_or_else(
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
            of,
            rates: OnceCell::new(),
            currencies: OnceCell::new(),
        }
    }

    /// Whether it is what a call that has read this version may be answered at `now`. While a call waits, another may have worked out a
    /// newer one.
    fn holds(&self, read: Option<Version>, now: OffsetDateTime) -> bool {
        let is_new_enough = match (self.of, read) {
            (Some(of), Some(read)) => of.reaches(read),
            (of, read) => of == read,
        };
        let is_in_time = self.economy.valid_until.is_none_or(|until| now < until);
        // A clock that was set back goes behind what was worked out.
        is_new_enough && is_in_time && self.at <= now
    }

    /// All rates, in pieces.
    pub(super) async fn rates(self: &Arc<Self>) -> Result<Arc<[Bytes]>, Fault> {
        let rendered = self.rates.get_or_try_init(|| {
            let snapshot = Arc::clone(self);
            render::aside(move || render::rates(&snapshot.economy, None, None))
        });
        rendered.await.map(Arc::clone)
    }

    /// All currencies.
    pub(super) async fn currencies(self: &Arc<Self>) -> Result<Bytes, Fault> {
        let rendered = self.currencies.get_or_try_init(|| {
            let snapshot = Arc::clone(self);
            let (now, late) = (self.at, self.late);
            render::aside(move || render::currencies(&snapshot.economy, now, late))
        });
        rendered.await.cloned()
    }
}

/// The snapshots of now, live and of samples.
#[derive(Debug)]
pub(super) struct Snapshots {
    pool: PgPool,
    clock: Clock,
    late: Duration,
    live: Mutex<Option<Arc<Snapshot>>>,
    samples: Mutex<Option<Arc<Snapshot>>>,
    /// One past moment is worked out at a time.
    past: Mutex<()>,
}

impl Snapshots {
    pub(super) fn new(pool: PgPool, clock: Clock, late: Duration) -> Self {
        Self {
            pool,
            clock,
            late,
            live: Mutex::default(),
            samples: Mutex::default(),
            past: Mutex::default(),
        }
    }

    /// The economy as it is now.
    pub(super) async fn now(&self, mode: Mode) -> Result<Arc<Snapshot>, Fault> {
        match mode {
            Mode::Live => self.live_now().await,
            Mode::Test => self.samples_now().await,
            Mode::Unspecified => Err(Fault::invalid_field("mode", "It is live or test.")),
        }
    }

    async fn live_now(&self) -> Result<Arc<Snapshot>, Fault> {
        let version = version::read(&self.pool).await?;
        // Those who come while it is worked out wait for it.
        let mut kept = self.live.lock().await;
        let now = self.clock.now();
        if let Some(snapshot) = kept
            .as_ref()
            .filter(|snapshot| snapshot.holds(Some(version), now))
        {
            return Ok(Arc::clone(snapshot));
        }
        let (version, economy) = economy::load(&self.pool, now, self.late).await?;
        let snapshot = Arc::new(Snapshot::new(economy, Some(version), now, self.late));
        *kept = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    async fn samples_now(&self) -> Result<Arc<Snapshot>, Fault> {
        let mut kept = self.samples.lock().await;
        let now = self.clock.now();
        if let Some(snapshot) = kept.as_ref().filter(|snapshot| snapshot.holds(None, now)) {
            return Ok(Arc::clone(snapshot));
        }
        let economy = samples::economy(now).map_err(|error| Fault::internal(&error))?;
        let snapshot = Arc::new(Snapshot::new(economy, None, now, self.late));
        *kept = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The economy as it was at a moment that is past.
    pub(super) async fn past(
        &self,
        mode: Mode,
        at: OffsetDateTime,
    ) -> Result<Arc<Snapshot>, Fault> {
        let now = self.clock.now();
        if at > now {
            return Err(Fault::invalid_field("at", "It is not past yet."));
        }
        if mode == Mode::Test {
            // Samples are dated back from now, and are the same at every moment.
            return self.samples_now().await;
        }
        let _one = self.past.lock().await;
        let (version, economy) = economy::load(&self.pool, at, self.late).await?;
        // What was does not age.
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
