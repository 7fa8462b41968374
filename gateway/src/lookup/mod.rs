//! Finds the caller of a key by its hash. Results are cached, and [`crate::feeds::invalidation`] invalidates them.
//!
//! Most requests end at [`Lookup::cached`], which does not wait. The rest query PostgreSQL. Queries for existing keys are not
//! limited; queries for unknown keys are limited per address and minute.

mod cache;
mod known_prefixes;
mod unknown_key_limiter;

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

pub use known_prefixes::HashPrefix;

use crate::domain::address::Network;
use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use cache::CallerCache;
use known_prefixes::{KnownPrefixes, prefix};
use unknown_key_limiter::{CountedLookup, UnknownKeyLimiter};

/// Concurrent queries for unknown keys, over all addresses. The rest of the pool's connections is left to existing keys.
const MAX_UNKNOWN_LOOKUPS: usize = 2;
/// The cache that joins concurrent queries holds this many results. It does not limit the number of queries.
const IN_FLIGHT: usize = 1_000;
/// How long loading all hash prefixes may take.
const LOAD_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long a cached caller may be used while changes cannot be read.
    pub outage: Duration,
    /// The deadline of a query.
    pub deadline: Duration,
    /// Queries for unknown keys per address and minute.
    pub unknown_per_minute: u32,
}

#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    deadline: Duration,
    cache: CallerCache,
    known_prefixes: KnownPrefixes,
    unknown_key_limiter: UnknownKeyLimiter,
    unknown_permits: Semaphore,
    /// Joins concurrent queries for one key. Results are removed at once.
    in_flight: Cache<Hash, QueryResult>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOwner {
    /// The caller may no longer be allowed to call: see [`Caller::works`].
    Caller(Arc<Caller>),
    Nobody,
}

#[derive(Debug)]
pub enum FindError {
    /// The address has sent too many unknown keys. The value is the wait in seconds.
    RateLimited(u32),
    /// PostgreSQL failed or missed the deadline.
    Database(Arc<sqlx::Error>),
}

type QueryResult = Result<KeyOwner, Arc<sqlx::Error>>;

impl Lookup {
    pub fn new(pool: PgPool, options: Options) -> Self {
        Self {
            pool,
            deadline: options.deadline,
            cache: CallerCache::new(options.outage),
            known_prefixes: KnownPrefixes::default(),
            unknown_key_limiter: UnknownKeyLimiter::new(options.unknown_per_minute),
            unknown_permits: Semaphore::new(MAX_UNKNOWN_LOOKUPS),
            in_flight: Cache::new(IN_FLIGHT),
        }
    }

    /// The cached owner of the key; `None` if a query is needed.
    pub fn cached(&self, hash: Hash, now: OffsetDateTime) -> Option<KeyOwner> {
        self.cache.get(&hash, now)
    }

    /// Queries PostgreSQL for the owner of the key. `from` is the client's address.
    ///
    /// A query for an existing key is not limited, whatever other clients at the address do. A query for a key whose prefix is
    /// unknown counts against the address and needs one of the few permits for unknown keys. Concurrent queries for one key are
    /// joined and count once.
    pub async fn find(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
    ) -> Result<KeyOwner, FindError> {
        let guard = match self.in_flight.get_value_or_guard_async(&hash).await {
            Ok(outcome) => return outcome.map_err(FindError::Database),
            // No query for this key is running, or the request that ran it was dropped or rejected.
            Err(guard) => guard,
        };
        let counted = self.count(hash, from, now)?;
        let outcome = self.query(hash, from, now, counted).await;
        // Hands the result to the requests that wait, also a failure. Whether it is cached is decided in `cache`.
        let (Ok(()) | Err(_)) = guard.insert(outcome.clone());
        self.in_flight.remove(&hash);
        outcome.map_err(FindError::Database)
    }

    /// Counts a query against the address, unless the key is known to exist.
    fn count(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
    ) -> Result<Option<CountedLookup>, FindError> {
        if self.known_prefixes.may_contain(hash) {
            return Ok(None);
        }
        let counted = self
            .unknown_key_limiter
            .consume(from, now)
            .map_err(|wait| {
                metrics::counter!("key_lookups_refused_total").increment(1);
                FindError::RateLimited(wait)
            })?;
        Ok(Some(counted))
    }

    async fn query(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
        counted: Option<CountedLookup>,
    ) -> QueryResult {
        let _permit = match counted {
            Some(_) => Some(self.acquire_unknown_permit().await?),
            None => None,
        };
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
        let found = match read.map_err(Arc::new)? {
            Some(caller) => KeyOwner::Caller(Arc::new(caller)),
            None => KeyOwner::Nobody,
        };
        if matches!(found, KeyOwner::Caller(_)) {
            self.known_prefixes.extend([prefix(hash)]);
            if let Some(counted) = counted {
                self.unknown_key_limiter.refund(from, counted);
            }
        }
        self.cache.insert(hash, &found, now, generation);
        Ok(found)
    }

    async fn acquire_unknown_permit(&self) -> Result<SemaphorePermit<'_>, Arc<sqlx::Error>> {
        let permit = timeout(self.deadline, self.unknown_permits.acquire()).await;
        permit.ok().and_then(Result::ok).ok_or_else(|| {
            metrics::counter!("key_lookups_total", "outcome" => "crowded").increment(1);
            Arc::new(sqlx::Error::PoolTimedOut)
        })
    }

    /// Loads the hash prefixes of all keys.
    pub async fn load_prefixes(&self) -> Result<(), sqlx::Error> {
        let prefixes = kit::pg::within(&self.pool, LOAD_TIMEOUT, async |connection| {
            store::keys::hash_prefixes(connection).await
        });
        self.known_prefixes.extend(prefixes.await?);
        Ok(())
    }

    /// Removes changed keys from the cache, and adds the prefixes of new ones.
    pub fn invalidate(&self, hashes: &[Hash]) {
        self.cache.invalidate(hashes);
        self.known_prefixes
            .extend(hashes.iter().copied().map(prefix));
    }

    /// Empties the cache. The hash prefixes stay.
    pub fn invalidate_all(&self) {
        self.cache.invalidate_all();
    }

    /// All changes before `at` have been passed to [`Lookup::invalidate`].
    pub fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.cache.set_fresh_as_of(at);
    }
}
