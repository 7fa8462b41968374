//! From the hash of a key to its caller: in memory, filled from PostgreSQL, bounded, and told what has changed.
//!
//! Most calls end at [`Lookup::recall`], which waits for nothing. The rest ask PostgreSQL: as often as they like for a key that was
//! made once, so many times a minute and address for any other.

mod guesses;
mod issued;
mod memory;

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

pub use issued::Beginning;

use crate::domain::address::Network;
use crate::domain::key::Caller;
use crate::domain::secret::Hash;
use crate::store;
use guesses::{Counted, Guesses};
use issued::{Issued, beginning};
use memory::Memory;

/// Look-ups at once, for all addresses, of keys of which nothing is known: they leave connections to the keys that there are.
const UNKNOWN_AT_ONCE: usize = 2;
/// Outcomes that are handed to waiting calls at one moment. Look-ups under way are not bounded by it.
const IN_FLIGHT: usize = 1_000;
/// How long the keys that there are may take to be read.
const READING_ALL: Duration = Duration::from_mins(1);

/// What a look-up is held to.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How long what is remembered is believed while changes are not seen.
    pub outage: Duration,
    /// How long PostgreSQL has to answer.
    pub deadline: Duration,
    /// Unknown keys that are looked up for an address in a minute.
    pub unknown_a_minute: u32,
}

/// The look-up of keys.
#[derive(Debug)]
pub struct Lookup {
    pool: PgPool,
    deadline: Duration,
    memory: Memory,
    issued: Issued,
    guesses: Guesses,
    unknown: Semaphore,
    /// Look-ups under way, so that calls with one key wait for one of them; nothing stays here.
    in_flight: Cache<Hash, Outcome>,
}

/// Whose key it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// This caller's; it may have stopped working.
    Caller(Arc<Caller>),
    /// Nobody has it.
    Nobody,
}

/// Why it is not known whose key it is.
#[derive(Debug)]
pub enum Unanswered {
    /// The address has asked for too many unknown keys; it may do so again after so many seconds.
    TooMany(u32),
    /// PostgreSQL gave no answer, or none in time.
    Failed(Arc<sqlx::Error>),
}

/// What came of a look-up.
type Outcome = Result<Found, Arc<sqlx::Error>>;

impl Lookup {
    /// An empty look-up over `pool`.
    pub fn new(pool: PgPool, bounds: Bounds) -> Self {
        Self {
            pool,
            deadline: bounds.deadline,
            memory: Memory::new(bounds.outage),
            issued: Issued::default(),
            guesses: Guesses::new(bounds.unknown_a_minute),
            unknown: Semaphore::new(UNKNOWN_AT_ONCE),
            in_flight: Cache::new(IN_FLIGHT),
        }
    }

    /// What is remembered of the key; `None` when PostgreSQL has to be asked.
    pub fn recall(&self, hash: Hash, now: OffsetDateTime) -> Option<Found> {
        self.memory.recall(&hash, now)
    }

    /// Asks PostgreSQL whose key it is, for a caller `from` there.
    ///
    /// A key that was made before is looked up whatever its neighbours have done: only those that nobody has, or that were made since
    /// the feed was last read, count for the address, and wait for their turn with those of all addresses. Calls with one key that come
    /// while it is looked up wait for the same answer, and count once.
    pub async fn ask(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
    ) -> Result<Found, Unanswered> {
        let guard = match self.in_flight.get_value_or_guard_async(&hash).await {
            Ok(outcome) => return outcome.map_err(Unanswered::Failed),
            // No look-up of this key is in flight, or its caller hung up or was refused.
            Err(guard) => guard,
        };
        let counted = self.count(hash, from, now)?;
        let outcome = self.look_up(hash, from, now, counted).await;
        // Answers the calls that wait, a failure too. What is remembered is for `memory` to decide.
        let (Ok(()) | Err(_)) = guard.insert(outcome.clone());
        self.in_flight.remove(&hash);
        outcome.map_err(Unanswered::Failed)
    }

    /// Counts a look-up for the address, unless the key was made before.
    fn count(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
    ) -> Result<Option<Counted>, Unanswered> {
        if self.issued.may_have(hash) {
            return Ok(None);
        }
        let counted = self.guesses.count(from, now).map_err(|wait| {
            metrics::counter!("key_lookups_refused_total").increment(1);
            Unanswered::TooMany(wait)
        })?;
        Ok(Some(counted))
    }

    async fn look_up(
        &self,
        hash: Hash,
        from: Network,
        now: OffsetDateTime,
        counted: Option<Counted>,
    ) -> Outcome {
        let _turn = match counted {
            Some(_) => Some(self.turn().await?),
            None => None,
        };
        let before = self.memory.before();
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
            Some(caller) => Found::Caller(Arc::new(caller)),
            None => Found::Nobody,
        };
        if matches!(found, Found::Caller(_)) {
            self.issued.add([beginning(hash)]);
            if let Some(counted) = counted {
                self.guesses.take_back(from, counted);
            }
        }
        self.memory.keep(hash, &found, now, before);
        Ok(found)
    }

    /// The turn of a key of which nothing is known.
    async fn turn(&self) -> Result<SemaphorePermit<'_>, Arc<sqlx::Error>> {
        let turn = timeout(self.deadline, self.unknown.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| {
            metrics::counter!("key_lookups_total", "outcome" => "crowded").increment(1);
            Arc::new(sqlx::Error::PoolTimedOut)
        })
    }

    /// Learns which keys there are, from the beginning.
    pub async fn read_issued(&self) -> Result<(), sqlx::Error> {
        let beginnings = kit::pg::within(&self.pool, READING_ALL, async |connection| {
            store::keys::beginnings(connection).await
        });
        self.issued.add(beginnings.await?);
        Ok(())
    }

    /// Forgets keys that have changed, and learns of those that are new.
    pub fn changed(&self, hashes: &[Hash]) {
        self.memory.forget(hashes);
        self.issued.add(hashes.iter().copied().map(beginning));
    }

    /// Forgets everything but which keys there are.
    pub fn forget_all(&self) {
        self.memory.forget_all();
    }

    /// Every change before `at` has been taken in by [`Lookup::changed`].
    pub fn confirm(&self, at: OffsetDateTime) {
        self.memory.confirm(at);
    }
}
