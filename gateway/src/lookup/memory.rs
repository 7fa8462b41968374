//! What is known of keys without asking: bounded, and believed for a bounded time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use time::OffsetDateTime;

use super::Found;
use crate::domain::key::Caller;
use crate::domain::secret::Hash;

/// Callers that are remembered at most; a caller takes about half a kilobyte.
const KNOWN: usize = 100_000;
/// Hashes without a caller that are remembered at most, apart from the others: wrong keys push no good one out.
const UNKNOWN: usize = 100_000;

/// Milliseconds since 1970.
type Moment = i64;

#[derive(Debug)]
pub(super) struct Memory {
    known: Cache<Hash, (Moment, Arc<Caller>)>,
    unknown: Cache<Hash, Moment>,
    /// How long something is believed after it was last known to be true.
    belief: Moment,
    /// All changes up to then have been seen, so that what is remembered was true then, or was read later.
    confirmed: AtomicI64,
    /// Counts the times that anything was forgotten.
    changes: AtomicU64,
}

/// How often anything had been forgotten when a reading began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before(u64);

impl Memory {
    pub(super) fn new(belief: Duration) -> Self {
        Self {
            known: Cache::new(KNOWN),
            unknown: Cache::new(UNKNOWN),
            belief: Moment::try_from(belief.as_millis()).unwrap_or(Moment::MAX),
            confirmed: AtomicI64::new(Moment::MIN),
            changes: AtomicU64::new(0),
        }
    }

    /// What is remembered of the key, if it may be believed at `now`.
    pub(super) fn recall(&self, hash: &Hash, now: OffsetDateTime) -> Option<Found> {
        if let Some((read, caller)) = self.known.get(hash) {
            return self.believes(read, now).then_some(Found::Caller(caller));
        }
        let read = self.unknown.get(hash)?;
        self.believes(read, now).then_some(Found::Nobody)
    }

    fn believes(&self, read: Moment, now: OffsetDateTime) -> bool {
        let true_at = read.max(self.confirmed.load(Ordering::Acquire));
        moment(now).saturating_sub(true_at) <= self.belief
    }

    /// To be asked before something is read that is then kept.
    pub(super) fn before(&self) -> Before {
        Before(self.changes.load(Ordering::SeqCst))
    }

    /// Keeps what was read at `now` or later.
    pub(super) fn keep(&self, hash: Hash, found: &Found, now: OffsetDateTime, before: Before) {
        match found {
            Found::Caller(caller) => self.known.insert(hash, (moment(now), Arc::clone(caller))),
            Found::Nobody => self.unknown.insert(hash, moment(now)),
        }
        // A change that was forgotten between the reading and the keeping would be kept in its old form: do not keep it.
        if self.changes.load(Ordering::SeqCst) != before.0 {
            self.drop_one(&hash);
        }
    }

    pub(super) fn forget(&self, hashes: &[Hash]) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        for hash in hashes {
            self.drop_one(hash);
        }
    }

    pub(super) fn forget_all(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.known.clear();
        self.unknown.clear();
    }

    /// Every change that was committed before `at` has been forgotten.
    pub(super) fn confirm(&self, at: OffsetDateTime) {
        self.confirmed.store(moment(at), Ordering::Release);
    }

    fn drop_one(&self, hash: &Hash) {
        self.known.remove(hash);
        self.unknown.remove(hash);
    }
}

fn moment(at: OffsetDateTime) -> Moment {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}
