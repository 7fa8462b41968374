//! From the hash of a key to its caller: in memory, filled from PostgreSQL, bounded, and told what has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::future::Cache;
use sqlx::PgPool;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;

/// Callers that are remembered at most; a caller takes about half a kilobyte.
const KNOWN: u64 = 100_000;
/// Hashes without a caller that are remembered at most, apart from the others: wrong keys push no good one out.
const UNKNOWN: u64 = 100_000;
/// What nobody asks for is forgotten. This is only thrift: changes come by [`Lookup::forget`].
const IDLE: Duration = Duration::from_hours(1);

/// The look-up of keys.
#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    known: Cache<Hash, Arc<Caller>>,
    unknown: Cache<Hash, ()>,
    /// Counts the times that anything was forgotten.
    changes: AtomicU64,
}

impl Lookup {
    /// An empty look-up over `pool`.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            known: Cache::builder()
                .max_capacity(KNOWN)
                .time_to_idle(IDLE)
                .build(),
            unknown: Cache::builder()
                .max_capacity(UNKNOWN)
                .time_to_idle(IDLE)
                .build(),
            changes: AtomicU64::new(0),
        }
    }

    /// Whose key it is, working or not; `None` when nobody has it.
    pub async fn find(&self, hash: Hash) -> Result<Option<Arc<Caller>>, sqlx::Error> {
        if let Some(caller) = self.known.get(&hash).await {
            return Ok(Some(caller));
        }
        if self.unknown.get(&hash).await.is_some() {
            return Ok(None);
        }
        let before = self.changes.load(Ordering::SeqCst);
        let caller = store::keys::caller(&self.pool, hash).await?.map(Arc::new);
        match &caller {
            Some(caller) => self.known.insert(hash, Arc::clone(caller)).await,
            None => self.unknown.insert(hash, ()).await,
        }
        // A change that was forgotten between the reading and the keeping would be kept in its old form: do not keep it.
        if self.changes.load(Ordering::SeqCst) != before {
            self.drop_one(&hash).await;
        }
        Ok(caller)
    }

    /// Forgets keys that have changed.
    pub async fn forget(&self, hashes: &[Hash]) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        for hash in hashes {
            self.drop_one(hash).await;
        }
    }

    /// Forgets everything.
    pub fn forget_all(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.known.invalidate_all();
        self.unknown.invalidate_all();
    }

    async fn drop_one(&self, hash: &Hash) {
        self.known.invalidate(hash).await;
        self.unknown.invalidate(hash).await;
    }
}
