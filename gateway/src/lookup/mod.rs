//! Finds the caller of a key by its hash. It caches callers and unknown hashes, until [`crate::feeds::invalidation`] learns of a change that
//! concerns them.
//!
//! Most requests end at [`Lookup::cached`], which does not wait. The rest query PostgreSQL. While that is unavailable, a caller is used as it
//! was last known.

mod cache;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::ConcurrencyLimit;
use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::time::{Instant, timeout_at};

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use cache::CallerCache;

/// Concurrent queries for keys that may be guesses. The rest of the pool's connections is left to other work.
const QUERIES: usize = 4;
/// Such keys that wait for a query: all keys are new to a replica that has just started. All requests with one key wait for one query.
const WAITING: usize = 4_096;
/// The most unknown hashes in the cache.
const MAX_UNKNOWN: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long a cached caller may be used while changes cannot be read.
    pub outage: Duration,
    /// How long a lookup may take, with all its waits.
    pub deadline: Duration,
}

#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    deadline: Duration,
    cache: CallerCache,
    /// Hashes that no key has. It also joins concurrent queries for one key.
    unknown: Cache<Hash, ()>,
    guesses: ConcurrencyLimit,
}

#[derive(Debug)]
pub enum QueryError {
    /// Too many keys that may be guesses wait for a query.
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
            guesses: ConcurrencyLimit::with_queue("key_lookups", QUERIES, WAITING),
        }
    }

    /// The cached caller of the key; `None` if a query is needed.
    pub fn cached(&self, hash: Hash, now: OffsetDateTime) -> Option<Arc<Caller>> {
        self.cache.get(&hash, now)
    }

    /// Whether this process has seen the key, so that it is no guess.
    pub fn is_known(&self, hash: Hash) -> bool {
        self.cache.contains(&hash)
    }

    /// Queries PostgreSQL for the caller of the key, who may no longer be allowed to call: see [`Caller::works`]. `None` if no key has the
    /// hash. Concurrent queries for one key are joined.
    ///
    /// # Errors
    /// PostgreSQL failed or is too slow, and the caller is not known from before.
    pub async fn find(
        &self,
        hash: Hash,
        now: OffsetDateTime,
    ) -> Result<Option<Arc<Caller>>, QueryError> {
        let polls = self.cache.polls();
        let error = match self.query(hash, now).await {
            Err(QueryError::Failed(error)) => error,
            found => return found,
        };
        // If the changes were read meanwhile, PostgreSQL is busy at most, and a former owner would go on with the key.
        if kit::pg::is_unavailable(&error) && self.cache.polls() == polls {
            self.set_unavailable();
        }
        let caller = self.cached(hash, now);
        caller.map(Some).ok_or(QueryError::Failed(error))
    }

    async fn query(
        &self,
        hash: Hash,
        now: OffsetDateTime,
    ) -> Result<Option<Arc<Caller>>, QueryError> {
        let deadline = Instant::now() + self.deadline;
        let late = |_elapsed| QueryError::Failed(sqlx::Error::PoolTimedOut);
        let joined = self.unknown.get_value_or_guard_async(&hash);
        let Err(unknown) = timeout_at(deadline, joined).await.map_err(late)? else {
            return Ok(None);
        };
        // Another request may have found it while this one waited.
        if let Some(caller) = self.cached(hash, now) {
            return Ok(Some(caller));
        }
        let _permit = if self.is_known(hash) {
            None
        } else {
            let permit = self.guesses.acquire(Duration::MAX);
            let permit = timeout_at(deadline, permit).await.map_err(late)?;
            Some(permit.map_err(|_shed| QueryError::Busy)?)
        };
        let generation = self.cache.generation();
        let time = deadline.saturating_duration_since(Instant::now());
        let read = kit::pg::within(&self.pool, time, async |connection| {
            store::keys::caller(connection, hash).await
        });
        let caller = read.await.map_err(QueryError::Failed)?.map(Arc::new);
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

    /// Looks up the callers that a change concerns before they are used again.
    pub fn invalidate(&self, is_concerned: impl Fn(&Caller) -> bool) {
        self.cache.invalidate(is_concerned);
    }

    /// Call this after [`Lookup::invalidate`] if keys were created: one of the unknown hashes may be theirs.
    pub fn forget_unknown(&self) {
        self.unknown.clear();
    }

    /// [`Lookup::invalidate`] was called after all changes before `at`.
    pub fn set_fresh_as_of(&self, at: OffsetDateTime) {
        self.cache.set_fresh_as_of(at);
    }

    /// The changes cannot be read, because PostgreSQL is unavailable. Until they are read again, outdated callers are used.
    pub fn set_unavailable(&self) {
        self.cache.set_unavailable();
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;
    use sqlx::postgres::PgPoolOptions;
    use tokio::net::TcpListener;

    use super::*;

    /// With paused time, the test waits for timers alone.
    #[tokio::test(start_paused = true)]
    async fn one_deadline_covers_all_waits_of_a_lookup() {
        // It accepts connections and never answers.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://nobody@{}/nothing", silent.local_addr().unwrap());
        let pool = PgPoolOptions::new().acquire_timeout(Duration::from_hours(1)).connect_lazy(&url);
        let options = Options { outage: Duration::ZERO, deadline: Duration::from_secs(2) };
        let lookup = Lookup::new(pool.unwrap(), options);
        let begun = Instant::now();
        // Three requests wait for the query of each key, and some keys wait for a permit.
        let keys = (0..24).map(|n| Hash([n / 3; 32]));
        let found = keys.map(|hash| lookup.find(hash, OffsetDateTime::UNIX_EPOCH));
        for found in join_all(found).await {
            assert!(matches!(found, Err(QueryError::Failed(_))), "{found:?}");
        }
        // Timers have a resolution of a millisecond.
        assert_eq!(begun.elapsed().as_secs(), 2);
    }
}
