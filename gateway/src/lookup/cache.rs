//! A bounded cache of callers. An entry may be used for a limited time while changes cannot be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use kit::api::timestamp::unix_milliseconds;
use quick_cache::sync::Cache;
use time::OffsetDateTime;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;

/// Cached callers at most. A caller takes about half a kilobyte.
const MAX_CALLERS: usize = 100_000;

/// Milliseconds since 1970.
type UnixMillis = i64;

#[derive(Debug)]
pub(super) struct CallerCache {
    callers: Cache<Hash, (UnixMillis, Arc<Caller>)>,
    /// How long an entry may be used after it was last known to be correct.
    max_staleness: UnixMillis,
    /// All changes before this time have been applied, so every entry was correct then or is newer.
    fresh_as_of: AtomicI64,
    /// Incremented by every invalidation.
    generation: AtomicU64,
}

/// The generation at which a query began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation(u64);

impl CallerCache {
    pub(super) fn new(max_staleness: Duration) -> Self {
        Self {
            callers: Cache::new(MAX_CALLERS),
            max_staleness: UnixMillis::try_from(max_staleness.as_millis())
                .unwrap_or(UnixMillis::MAX),
            fresh_as_of: AtomicI64::new(UnixMillis::MIN),
            generation: AtomicU64::new(0),
        }
    }

    /// The caller of the key, unless the entry is too old at `now`.
    pub(super) fn get(&self, hash: &Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        let (read, caller) = self.callers.get(hash)?;
        let fresh_at = read.max(self.fresh_as_of.load(Ordering::Acquire));
        let age = unix_milliseconds(now).saturating_sub(fresh_at);
        (age <= self.max_staleness).then_some(caller)
    }

    /// Call this before the query whose result is inserted.
    pub(super) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::SeqCst))
    }

    /// Inserts the result of a query that began at `now` or later.
    pub(super) fn insert(
        &self,
        hash: Hash,
        caller: &Arc<Caller>,
        now: OffsetDateTime,
        generation: Generation,
    ) {
        self.callers
            .insert(hash, (unix_milliseconds(now), Arc::clone(caller)));
        // If the cache was emptied during the query, the result may be outdated.
        if self.generation() != generation {
            self.callers.remove(&hash);
        }
    }

    pub(super) fn invalidate(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.callers.clear();
    }

    /// All changes that were committed before `at` have been applied.
    pub(super) fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.fresh_as_of
            .store(unix_milliseconds(at), Ordering::Release);
    }
}
