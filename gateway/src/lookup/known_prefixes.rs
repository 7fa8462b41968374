//! A short hash prefix of every key that exists. It tells a guess from a key that is merely not cached, without a query.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::secret::Hash;

/// The first four bytes of a hash. With a million keys, one guess in four thousand matches a prefix and costs a query.
pub type HashPrefix = [u8; 4];

/// Prefixes of all stored hashes, about 6 bytes per key. Nothing is removed: keys are never deleted.
#[derive(Debug, Default)]
pub(super) struct KnownPrefixes(Mutex<HashSet<HashPrefix>>);

impl KnownPrefixes {
    pub(super) fn extend(&self, prefixes: impl IntoIterator<Item = HashPrefix>) {
        self.lock().extend(prefixes);
    }

    /// If false, no key has this hash, unless it was created since the last poll of the feed.
    pub(super) fn may_contain(&self, hash: Hash) -> bool {
        self.lock().contains(&prefix(hash))
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<HashPrefix>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) const fn prefix(hash: Hash) -> HashPrefix {
    let [a, b, c, d, ..] = hash.0;
    [a, b, c, d]
}
