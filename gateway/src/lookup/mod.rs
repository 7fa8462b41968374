//! Finds the caller of a key by its hash. Results are cached, and [`crate::feeds::invalidation`] invalidates them.
//!
//! Most requests end at [`Lookup::cached`], which does not wait. The rest query PostgreSQL. A key that is known to exist is queried
//! without a limit. A key that is not known may be a guess, and few such keys may wait for a query.

mod cache;
mod known_keys;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::{ConcurrencyLimit, Permit};
use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use cache::CallerCache;
use known_keys::KnownKeys;

/// Concurrent queries for unknown keys, over all addresses. The rest of the pool's connections is left to existing keys.
const UNKNOWN_QUERIES: usize = 2;
/// Unknown keys that wait for a query. Requests with further ones get 503 at once; all requests with one key wait for one query.
const UNKNOWN_WAITING: usize = 32;
/// The cache that joins concurrent queries holds this many results. It does not limit the number of queries.
const IN_FLIGHT: usize = 1_000;
/// How long loading the hashes of all keys may take.
const LOAD_TIMEOUT: Duration = Duration::from_mins(1);

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
    known_keys: KnownKeys,
    unknown_keys: ConcurrencyLimit,
    /// Joins concurrent queries for one key. Results are removed at once.
    in_flight: Cache<Hash, QueryResult>,
}

/// The caller, who may no longer be allowed to call: see [`Caller::works`]. `None` if no key has the hash.
type QueryResult = Result<Option<Arc<Caller>>, QueryError>;

#[derive(Debug, Clone)]
pub enum QueryError {
    /// Too many unknown keys wait for a query, or PostgreSQL is too slow for those that wait.
    Busy,
    /// PostgreSQL failed or missed the deadline.
    Failed(Arc<sqlx::Error>),
}

impl Lookup {
    pub fn new(pool: PgPool, options: Options) -> Self {
        Self {
            pool,
            deadline: options.deadline,
            cache: CallerCache::new(options.outage),
            known_keys: KnownKeys::default(),
            unknown_keys: ConcurrencyLimit::with_queue(
                "unknown_keys",
                UNKNOWN_QUERIES,
                UNKNOWN_WAITING,
            ),
            in_flight: Cache::new(IN_FLIGHT),
        }
    }

    /// The cached caller of the key; `None` if a query is needed.
    pub fn cached(&self, hash: Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        self.cache.get(&hash, now)
    }

    /// Whether a key has this hash. If false, none has, unless it was created since the last poll of the feed.
    pub fn is_known(&self, hash: Hash) -> bool {
        self.known_keys.may_contain(hash)
    }

    /// Queries PostgreSQL for the caller of the key. Concurrent queries for one key are joined, and those of unknown keys are limited.
    pub async fn find(&self, hash: Hash, now: OffsetDateTime) -> QueryResult {
        // Another request may have found it while this one waited.
        if let Some(caller) = self.cached(hash, now) {
            return Ok(Some(caller));
        }
        let joined = self.in_flight.get_value_or_guard_async(&hash);
        let guard = match timeout(self.deadline, joined).await {
            Ok(Ok(outcome)) => return outcome,
            // No query for this key is running, or the request that ran it was dropped or got no permit.
            Ok(Err(guard)) => guard,
            Err(_elapsed) => return Err(QueryError::Busy),
        };
        let _permit: Option<Permit> = if self.is_known(hash) {
            None
        } else {
            let permit = self.unknown_keys.acquire(self.deadline).await;
            Some(permit.map_err(|_shed| QueryError::Busy)?)
        };
        let outcome = self.query(hash, now).await;
        // Hands the result to the requests that wait, also a failure. Whether it is cached is decided in `cache`.
        let (Ok(()) | Err(_)) = guard.insert(outcome.clone());
        self.in_flight.remove(&hash);
        outcome
    }

    async fn query(&self, hash: Hash, now: OffsetDateTime) -> QueryResult {
        let generation = self.cache.generation();
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
        let caller = read.map_err(|error| QueryError::Failed(Arc::new(error)))?;
        let caller = caller.map(Arc::new);
        if let Some(caller) = &caller {
            self.known_keys.insert(hash);
            self.cache.insert(hash, caller, now, generation);
        }
        Ok(caller)
    }

    /// Learns which keys exist.
    pub async fn load_known_keys(&self) -> Result<(), sqlx::Error> {
        kit::pg::within(&self.pool, LOAD_TIMEOUT, async |connection| {
            store::keys::for_each_hash(connection, |hash| self.known_keys.insert(hash)).await
        })
        .await
    }

    /// Removes changed keys from the cache, and learns of new ones.
    pub fn invalidate(&self, hashes: &[Hash]) {
        self.cache.invalidate(hashes);
        for hash in hashes {
            self.known_keys.insert(*hash);
        }
    }

    /// Empties the cache. Which keys exist stays known.
    pub fn invalidate_all(&self) {
        self.cache.invalidate_all();
    }

    /// All changes before `at` have been passed to [`Lookup::invalidate`].
    pub fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.cache.set_fresh_as_of(at);
    }
}
