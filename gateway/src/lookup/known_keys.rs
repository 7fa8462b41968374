//! A fingerprint of every key that exists. It tells a guess from a key that is merely not cached, without a query.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::secret::Hash;

/// Fingerprints of all stored hashes, about 20 bytes per key. Nothing is removed: keys are never deleted.
///
/// A caller knows the hashes of its own keys. The fingerprints are seeded at random for each process, over the whole hash: otherwise a
/// caller could search for texts that look like one of its keys, and each of them would cost queries.
#[derive(Debug, Default)]
pub(super) struct KnownKeys {
    seed: RandomState,
    fingerprints: Mutex<HashSet<u64>>,
}

impl KnownKeys {
    pub(super) fn insert(&self, hash: Hash) {
        self.lock().insert(self.fingerprint(hash));
    }

    /// If false, no key has this hash, unless it was created since the last poll of the feed.
    pub(super) fn may_contain(&self, hash: Hash) -> bool {
        self.lock().contains(&self.fingerprint(hash))
    }

    fn fingerprint(&self, hash: Hash) -> u64 {
        self.seed.hash_one(hash.0)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.fingerprints
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_that_begins_like_a_known_one_is_unknown() {
        let known = KnownKeys::default();
        let own = Hash([7; 32]);
        known.insert(own);
        assert!(known.may_contain(own));
        for different in 0..32 {
            let mut similar = own;
            similar.0[different] ^= 1;
            assert!(!known.may_contain(similar), "byte {different}");
        }
    }

    #[test]
    fn each_process_has_fingerprints_of_its_own() {
        let hash = Hash([7; 32]);
        let [one, other] = [KnownKeys::default(), KnownKeys::default()];
        assert_ne!(one.fingerprint(hash), other.fingerprint(hash));
    }
}
