//! Which keys there are, roughly: a few bytes of the hash of each, so that a guess is told from a key that is merely not in memory.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::secret::Hash;

/// The first four bytes of a hash. Of a million keys, one guess in four thousand looks like one of them; it costs a look-up.
pub type Beginning = [u8; 4];

/// The beginnings of all hashes that were ever stored; about 6 bytes a key. Nothing is taken out: keys are never deleted.
#[derive(Debug, Default)]
pub(super) struct Issued(Mutex<HashSet<Beginning>>);

impl Issued {
    pub(super) fn add(&self, beginnings: impl IntoIterator<Item = Beginning>) {
        self.lock().extend(beginnings);
    }

    /// Whether a key with this hash may have been made. No: it was not, or less than a moment ago.
    pub(super) fn may_have(&self, hash: Hash) -> bool {
        self.lock().contains(&beginning(hash))
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Beginning>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) const fn beginning(hash: Hash) -> Beginning {
    let [a, b, c, d, ..] = hash.0;
    [a, b, c, d]
}
