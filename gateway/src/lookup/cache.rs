//! A bounded cache of callers. An outdated entry stays: its key is known to exist, and is used while PostgreSQL is unavailable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kit::api::timestamp::unix_milliseconds;
use quick_cache::sync::Cache;
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::lookup::Changes;

/// The most callers in the cache. A caller takes about half a kilobyte.
const MAX_CALLERS: usize = 100_000;

/// Milliseconds since 1970.
type UnixMillis = i64;

#[derive(Debug)]
pub(super) struct CallerCache {
    callers: Cache<Hash, Entry>,
    /// How long an entry may be used after it was last known to be correct.
    max_staleness: UnixMillis,
    changes: watch::Receiver<Changes>,
    /// Incremented by every invalidation.
    generation: AtomicU64,
}

#[derive(Debug, Clone)]
struct Entry {
    read: UnixMillis,
    /// Set by a change that concerns the caller: how long the entry was correct.
    outdated: Option<UnixMillis>,
    caller: Arc<Caller>,
}

impl CallerCache {
    pub(super) fn new(max_staleness: Duration, changes: watch::Receiver<Changes>) -> Self {
        Self {
            callers: Cache::new(MAX_CALLERS),
            max_staleness: UnixMillis::try_from(max_staleness.as_millis())
                .unwrap_or(UnixMillis::MAX),
            changes,
            generation: AtomicU64::new(0),
        }
    }

    /// The caller of the key, unless the entry is outdated or too old at `now`. While changes
    /// cannot be read, an outdated entry is used, so that a change just before an outage stops no
    /// key.
    pub(super) fn get(&self, hash: &Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        let entry = self.callers.get(hash)?;
        let correct_until = match (entry.outdated, self.changes()) {
            (None, Changes::ReadAsOf(at) | Changes::UnreadSince(at)) => unix_milliseconds(at),
            (Some(_), Changes::ReadAsOf(_)) => return None,
            (Some(correct_until), Changes::UnreadSince(_)) => correct_until,
        };
        let age = unix_milliseconds(now).saturating_sub(entry.read.max(correct_until));
        (age <= self.max_staleness).then_some(entry.caller)
    }

    /// Whether the key has an entry, also an outdated one.
    pub(super) fn contains(&self, hash: &Hash) -> bool {
        self.callers.contains_key(hash)
    }

    /// Call this before the query whose result is inserted.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Inserts the result of a query that began at `now` or later, in this generation. If another has begun, the result may be outdated.
    pub(super) fn insert(
        &self,
        hash: Hash,
        caller: &Arc<Caller>,
        now: OffsetDateTime,
        generation: u64,
    ) {
        let read = unix_milliseconds(now);
        let entry = |outdated| Entry { read, outdated, caller: Arc::clone(caller) };
        self.callers.insert(hash, entry(None));
        // Checked after the insert: an invalidation that begins later sees the entry.
        if self.generation() != generation {
            self.callers.insert(hash, entry(Some(read)));
        }
    }

    /// Outdates the callers that a change concerns.
    pub(super) fn invalidate(&self, is_concerned: impl Fn(&Caller) -> bool) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        let outdated = Some(unix_milliseconds(self.changes().as_of()));
        for (hash, entry) in self.callers.iter() {
            if entry.outdated.is_none() && is_concerned(&entry.caller) {
                // It fails if the entry has been evicted meanwhile.
                let (Ok(()) | Err(_)) =
                    self.callers.replace(hash, Entry { outdated, ..entry }, true);
            }
        }
    }

    fn changes(&self) -> Changes {
        *self.changes.borrow()
    }
}
