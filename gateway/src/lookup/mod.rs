//! Finds the caller of a key by its hash. It caches callers and unknown hashes, until [`crate::feeds::invalidation`] learns of a change that
//! concerns them.
//!
//! Most requests end at [`Lookup::cached`], which does not wait. The rest query PostgreSQL. While
//! that is unavailable, a caller is used as it was last known. Whether it is, the task that reads
//! changes alone decides ([`Changes`]): a query that fails may only have been slow, and a former
//! owner would go on with the key.

mod cache;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::ConcurrencyLimit;
use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use cache::CallerCache;

/// The most concurrent queries for keys that may be guesses, and as many for keys that were seen.
/// Together they leave a fifth of the pool's connections to other work, first of all to reading
/// changes.
const QUERIES: u32 = 4;
/// Such keys that wait for a query: all keys are new to a replica that has just started. All requests with one key wait for one query.
const WAITING: usize = 4_096;
/// How long a query that failed waits for the task that reads changes, which tries every half
/// second.
const WAIT_FOR_CHANGES: Duration = Duration::from_secs(1);
/// The most unknown hashes in the cache.
const MAX_UNKNOWN: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long a cached caller may be used while changes cannot be read.
    pub outage: Duration,
    /// How long a lookup may take, with all its waits.
    pub deadline: Duration,
}

/// Which changes of keys and accounts have been applied to the cache.
/// [`crate::feeds::invalidation`] owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// All changes before this time have been applied.
    ReadAsOf(OffsetDateTime),
    /// PostgreSQL is unavailable, so changes since this time are not known. Until they are,
    /// outdated callers are used.
    UnreadSince(OffsetDateTime),
}

impl Changes {
    /// All changes before this time have been applied.
    pub fn as_of(self) -> OffsetDateTime {
        match self {
            Self::ReadAsOf(at) | Self::UnreadSince(at) => at,
        }
    }
}

#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    deadline: Duration,
    cache: CallerCache,
    /// Hashes that no key has. It also joins concurrent queries for one key.
    unknown: Cache<Hash, ()>,
    /// The limit of queries for keys that may be guesses.
    guesses: ConcurrencyLimit,
    /// The limit of queries for keys that were seen.
    seen: ConcurrencyLimit,
    changes: watch::Receiver<Changes>,
}

#[derive(Debug)]
pub enum QueryError {
    /// Too many keys wait for a query.
    Busy,
    /// PostgreSQL failed or missed the deadline.
    Failed(sqlx::Error),
}

impl Lookup {
    pub fn new(pool: PgPool, options: Options, changes: watch::Receiver<Changes>) -> Self {
        let of_pool = pool.options().get_max_connections() * 2 / 5;
        let queries = usize::try_from(of_pool.clamp(1, QUERIES)).unwrap_or(1);
        let limit = |at| ConcurrencyLimit::with_queue(at, queries, WAITING);
        Self {
            pool,
            deadline: options.deadline,
            cache: CallerCache::new(options.outage, changes.clone()),
            unknown: Cache::new(MAX_UNKNOWN),
            guesses: limit("key_lookups"),
            seen: limit("seen_key_lookups"),
            changes,
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
        let error = match self.query(hash, now).await {
            Err(QueryError::Failed(error)) => error,
            found => return found,
        };
        if kit::pg::is_unavailable(&error) && self.is_known(hash) {
            self.wait_for_changes().await;
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
        let limit = if self.is_known(hash) { &self.seen } else { &self.guesses };
        let permit = timeout_at(deadline, limit.acquire(Duration::MAX)).await.map_err(late)?;
        let _permit = permit.map_err(|_shed| QueryError::Busy)?;
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

    /// Waits until changes are read, or cannot be read, for the next time; not at all if it is
    /// known that they cannot.
    async fn wait_for_changes(&self) {
        let mut changes = self.changes.clone();
        if matches!(*changes.borrow_and_update(), Changes::ReadAsOf(_)) {
            let (Ok(_) | Err(_)) = timeout(WAIT_FOR_CHANGES, changes.changed()).await;
        }
    }

    /// The deadline of a lookup. A read of changes that takes longer means that PostgreSQL is
    /// unavailable.
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Looks up the callers that a change concerns before they are used again.
    pub fn invalidate(&self, is_concerned: impl Fn(&Caller) -> bool) {
        self.cache.invalidate(is_concerned);
    }

    /// Call this after [`Lookup::invalidate`] if keys were created: one of the unknown hashes may be theirs.
    pub fn forget_unknown(&self) {
        self.unknown.clear();
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
        let (_changes, state) = watch::channel(Changes::ReadAsOf(OffsetDateTime::UNIX_EPOCH));
        let lookup = Lookup::new(pool.unwrap(), options, state);
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
