//! Finds the caller of a key by its hash. It caches callers and unknown hashes, until [`crate::feeds::invalidation`] learns of a change.
//!
//! Most requests end at [`Lookup::cached`], which does not wait. The rest query PostgreSQL. While that is away, a caller that was known before
//! the last changes is used, so that a change just before an outage stops no key.

mod cache;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::ConcurrencyLimit;
use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use cache::CallerCache;

/// Concurrent queries. The rest of the pool's connections is left to other work.
const QUERIES: usize = 4;
/// Keys that wait for a query: more than the cache may lack after a change. All requests with one key wait for one query.
const WAITING: usize = 4_096;
/// The most unknown hashes in the cache.
const MAX_UNKNOWN: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long a cached caller may be used while changes cannot be read.
    pub outage: Duration,
    /// The deadline of a query, and of waiting for one.
    pub deadline: Duration,
}

#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    deadline: Duration,
    cache: CallerCache,
    /// Hashes that no key has. It also joins concurrent queries for one key.
    unknown: Cache<Hash, ()>,
    queries: ConcurrencyLimit,
}

#[derive(Debug)]
pub enum QueryError {
    /// Too many keys wait for a query, or PostgreSQL is too slow for those that wait.
    Busy,
    /// PostgreSQL failed or missed the deadline.
    Failed(sqlx::Error),
}

impl Lookup {
    pub fn new(pool: PgPool, options: Options) -> Self {
        Self {
            pool,
            deadline: options.deadline,
            cache: CallerCache::new(options.outage),
            unknown: Cache::new(MAX_UNKNOWN),
            queries: ConcurrencyLimit::with_queue("key_lookups", QUERIES, WAITING),
        }
    }

    /// The cached caller of the key; `None` if a query is needed.
    pub fn cached(&self, hash: Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        self.cache.get(&hash, now)
    }

    /// Queries PostgreSQL for the caller of the key, who may no longer be allowed to call: see [`Caller::works`]. `None` if no key has the
    /// hash. Concurrent queries for one key are joined.
    ///
    /// # Errors
    /// PostgreSQL failed or is too slow.
    pub async fn find(
        &self,
        hash: Hash,
        now: OffsetDateTime,
    ) -> Result<Option<Arc<Caller>>, QueryError> {
        self.find_current(hash, now).await.or_else(|error| {
            let caller = self.cache.last_known(&hash, now);
            caller.map(Some).ok_or(error)
        })
    }

    async fn find_current(
        &self,
        hash: Hash,
        now: OffsetDateTime,
    ) -> Result<Option<Arc<Caller>>, QueryError> {
        let joined = self.unknown.get_value_or_guard_async(&hash);
        let unknown = match timeout(self.deadline, joined).await {
            Ok(Ok(())) => return Ok(None),
            // No query for this key is running.
            Ok(Err(guard)) => guard,
            Err(_elapsed) => return Err(QueryError::Busy),
        };
        // Another request may have found it while this one waited.
        if let Some(caller) = self.cached(hash, now) {
            return Ok(Some(caller));
        }
        let permit = self.queries.acquire(self.deadline).await;
        let _permit = permit.map_err(|_shed| QueryError::Busy)?;
        let generation = self.cache.generation();
        let caller = self.query(hash).await.map_err(QueryError::Failed)?;
        let caller = caller.map(Arc::new);
        if let Some(caller) = &caller {
            self.cache.insert(hash, caller, now, generation);
        } else {
            let (Ok(()) | Err(())) = unknown.insert(());
            // If a change came during the query, it may have created the key.
            if self.cache.generation() != generation {
                self.unknown.remove(&hash);
            }
        }
        Ok(caller)
    }

    async fn query(&self, hash: Hash) -> Result<Option<Caller>, sqlx::Error> {
        let read = kit::pg::within(&self.pool, self.deadline, async |connection| {
            store::keys::caller(connection, hash).await
        });
        let read = read.await;
        let outcome = match &read {
            Ok(Some(_)) => "found",
            Ok(None) => "unknown",
            Err(_) => "failed",
        };
        metrics::counter!("key_lookups_total", "outcome" => outcome).increment(1);
        read
    }

    /// Uses no entry of the caches without a query, because a key may have been created or changed.
    pub fn invalidate(&self) {
        self.cache.invalidate();
        self.unknown.clear();
    }

    /// [`Lookup::invalidate`] was called after all changes before `at`.
    pub fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.cache.set_fresh_as_of(at);
    }
}
