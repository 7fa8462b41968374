//! A bounded cache of callers. An entry may be used for a limited time while changes cannot be read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use kit::api::timestamp::unix_milliseconds;
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use time::OffsetDateTime;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;

/// The most callers in the cache. A caller takes about half a kilobyte.
const MAX_CALLERS: usize = 100_000;

/// Milliseconds since 1970.
type UnixMillis = i64;

#[derive(Debug)]
pub(super) struct CallerCache {
    callers: Cache<Hash, Entry>,
    /// How long an entry may be used after it was last known to be correct.
    max_staleness: UnixMillis,
    /// All changes before this time have been applied, so every entry of this generation was correct then or is newer.
    fresh_as_of: AtomicI64,
    /// Incremented by every invalidation.
    generation: AtomicU64,
    /// Earlier generations, each with the time until which its entries were correct, as far back as they may be used.
    ended: Mutex<VecDeque<(Generation, UnixMillis)>>,
}

#[derive(Debug, Clone)]
struct Entry {
    read: UnixMillis,
    generation: Generation,
    caller: Arc<Caller>,
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
            ended: Mutex::default(),
        }
    }

    /// The caller of the key, unless a change may have touched it since, or the entry is too old at `now`.
    pub(super) fn get(&self, hash: &Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        let entry = self.callers.get(hash)?;
        let is_current = entry.generation == self.generation();
        let fresh_as_of = self.fresh_as_of.load(Ordering::Acquire);
        (is_current && self.may_use(entry.read.max(fresh_as_of), now)).then_some(entry.caller)
    }

    /// The caller of the key as it was last known, also before the changes since, unless that is too long ago at `now`.
    pub(super) fn last_known(&self, hash: &Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        let entry = self.callers.get(hash)?;
        let ended = self.ended.lock();
        let mut ended = ended.iter();
        let (_, correct_until) = ended.find(|(generation, _)| *generation == entry.generation)?;
        let correct_at = entry.read.max(*correct_until);
        self.may_use(correct_at, now).then_some(entry.caller)
    }

    /// Whether an entry that was correct at a time may be used at `now`.
    fn may_use(&self, correct_at: UnixMillis, now: OffsetDateTime) -> bool {
        unix_milliseconds(now).saturating_sub(correct_at) <= self.max_staleness
    }

    /// Call this before the query whose result is inserted.
    pub(super) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::SeqCst))
    }

    /// Inserts the result of a query that began at `now` or later, in this generation. If another has begun, the result may be outdated.
    pub(super) fn insert(
        &self,
        hash: Hash,
        caller: &Arc<Caller>,
        now: OffsetDateTime,
        generation: Generation,
    ) {
        let entry = Entry {
            read: unix_milliseconds(now),
            generation,
            caller: Arc::clone(caller),
        };
        self.callers.insert(hash, entry);
    }

    /// Begins a generation, because a change may have touched any entry.
    pub(super) fn invalidate(&self) {
        let mut ended = self.ended.lock();
        let correct_until = self.fresh_as_of.load(Ordering::Acquire);
        let oldest = correct_until.saturating_sub(self.max_staleness);
        while ended.front().is_some_and(|(_, at)| *at < oldest) {
            ended.pop_front();
        }
        let generation = self.generation.fetch_add(1, Ordering::SeqCst);
        ended.push_back((Generation(generation), correct_until));
    }

    /// All changes that were committed before `at` have been applied.
    pub(super) fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.fresh_as_of
            .store(unix_milliseconds(at), Ordering::Release);
    }
}
