//! Snapshots of past moments. The rates of a thousand currencies take some 160 MB: the moment that was asked for last is cached, and a
//! semaphore limits how many others are in memory while they are read.

use std::sync::Arc;

use kit::{Code, Fault};
use parking_lot::Mutex;
use time::OffsetDateTime;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

use super::snapshot::Snapshot;
use crate::store::version::Version;

#[derive(Debug)]
pub(super) struct PastSnapshots {
    permits: Arc<Semaphore>,
    cached: Mutex<Option<Arc<PastSnapshot>>>,
}

/// The snapshot of a past moment, which concurrent calls load once.
#[derive(Debug)]
pub(super) struct PastSnapshot {
    /// The version of the data when the call began.
    version: Version,
    at: OffsetDateTime,
    pub snapshot: OnceCell<Arc<Snapshot>>,
    /// Released when neither the cache nor a response refers to the snapshot any more.
    pub permit: Arc<OwnedSemaphorePermit>,
}

impl PastSnapshot {
    /// Whether nothing but the cache refers to the moment, its snapshot or its rates.
    fn is_idle(self: &Arc<Self>) -> bool {
        let is_in_use =
            |snapshot: &Arc<Snapshot>| Arc::strong_count(snapshot) > 1 || snapshot.is_streamed();
        Arc::strong_count(self) == 1 && !self.snapshot.get().is_some_and(is_in_use)
    }
}

impl PastSnapshots {
    /// `uncached`: the most moments that are in memory besides the cached one.
    pub(super) fn new(uncached: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(
                uncached.saturating_add(1).min(Semaphore::MAX_PERMITS),
            )),
            cached: Mutex::default(),
        }
    }

    /// The snapshot of a moment, loaded or yet to be loaded.
    ///
    /// # Errors
    /// `rate_limited`: as many other moments as allowed are in memory. It is not `unavailable`, since callers can cause it at will.
    pub(super) fn get(
        &self,
        version: Version,
        at: OffsetDateTime,
    ) -> Result<Arc<PastSnapshot>, Fault> {
        let mut cached = self.cached.lock();
        if let Some(past) =
            (cached.as_ref()).filter(|past| (past.version, past.at) == (version, at))
        {
            return Ok(Arc::clone(past));
        }
        if self.permits.available_permits() == 0
            && cached.as_ref().is_some_and(PastSnapshot::is_idle)
        {
            *cached = None;
        }
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_none| {
            let message = "The rates of too many past moments are being read at once. Try again in a moment, or read one \
                           moment after the other.";
            Fault::new(Code::RateLimited, message).with_retry_after(1)
        })?;
        let past = Arc::new(PastSnapshot {
            version,
            at,
            snapshot: OnceCell::new(),
            permit: Arc::new(permit),
        });
        *cached = Some(Arc::clone(&past));
        Ok(past)
    }
}
