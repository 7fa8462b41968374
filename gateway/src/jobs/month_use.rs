//! The month's use between Redis, which counts it, and PostgreSQL, which has a copy in case Redis loses it.
//!
//! Redis to PostgreSQL: numbers that answers of Redis brought, written behind. PostgreSQL to Redis: months that Redis has not, or has
//! from an earlier run, and calls that were let through while Redis was away.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kit::redis::{Redis, Unavailable};
use sqlx::PgPool;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::domain::quota::AccountMonth;
use crate::quota::{Counters, Shared};
use crate::store::month_use::{self as store, Owed};

/// Months, or rows of calls, that are gone through at once.
const BATCH: usize = 1_000;
/// Calls to Redis at once: so many are answered well before Redis counts as away.
const ABREAST: usize = 64;
/// How long PostgreSQL may take. A frozen one must not keep those waiting who could be told that it is away.
const PATIENCE: Duration = Duration::from_secs(2);

/// The one task of a process that carries month use back and forth.
#[derive(Debug)]
pub struct MonthUse {
    pool: PgPool,
    counters: Counters,
    shared: Arc<Shared>,
    /// Calls that Redis is owed, which PostgreSQL may not know of yet.
    unkept: Vec<Owed>,
    /// Whether PostgreSQL was away the last time.
    away: bool,
}

impl MonthUse {
    /// Over a connection to Redis of its own.
    pub fn new(pool: PgPool, redis: Redis, shared: Arc<Shared>) -> Self {
        Self {
            pool,
            counters: Counters::new(redis),
            shared,
            unkept: Vec::new(),
            away: false,
        }
    }

    /// Goes on until `stopping`: writes `every` so often, and reads at once what calls wait for. At the end it writes once more.
    pub async fn run(mut self, every: Duration, stopping: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        let mut due = tokio::time::interval(every);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => break,
                _ = due.tick() => self.exchange().await,
                () = shared.seeds.asked() => {
                    self.seed().await;
                }
            }
        }
        self.write_down().await;
    }

    /// Writes down everything that only this process knows.
    pub async fn write_down(&mut self) {
        let outcome = self.try_write_down().await;
        self.note(&outcome);
    }

    /// Writes everything down, and tells Redis of the calls that it was not there for, whichever gateway let them through.
    pub async fn exchange(&mut self) {
        let outcome = self.try_exchange().await;
        self.note(&outcome);
    }

    /// Lets Redis count the months that calls wait for. Returns how many were read from PostgreSQL.
    pub async fn seed(&mut self) -> usize {
        let mut read = 0;
        loop {
            let asked = self.shared.seeds.take(BATCH);
            if asked.is_empty() {
                return read;
            }
            let months: Vec<AccountMonth> = asked.iter().map(|asked| asked.month).collect();
            let outcome = self.try_seed(&months).await;
            self.note(&outcome);
            let seeded = outcome.unwrap_or_default();
            read += seeded.read;
            for asked in asked {
                let counts = seeded.counted.contains(&asked.month);
                self.shared.seeds.tell(asked, counts);
            }
        }
    }

    async fn try_exchange(&mut self) -> Result<(), sqlx::Error> {
        self.keep_owed().await?;
        let most = i64::try_from(BATCH).unwrap_or(i64::MAX);
        loop {
            let owed = kit::pg::within(&self.pool, PATIENCE, async |connection| {
                store::owed(connection, most).await
            })
            .await?;
            let settled = self.tell(&owed).await?;
            // First what Redis has now, then that it was told: if it loses the calls, they are in one of the two.
            self.write_used().await?;
            if !settled.is_empty() {
                kit::pg::within(&self.pool, PATIENCE, async |connection| {
                    store::settle(connection, &settled).await
                })
                .await?;
            }
            if owed.len() < BATCH || settled.is_empty() {
                break;
            }
        }
        metrics::counter!("month_use_exchanges_total").increment(1);
        Ok(())
    }

    /// Tells Redis of calls; months that it does not count yet are seeded first. Returns the ids of what it has added.
    async fn tell(&self, owed: &[Owed]) -> Result<Vec<Uuid>, sqlx::Error> {
        let (mut settled, unseeded) = self.add(owed).await;
        if !unseeded.is_empty() {
            let months: Vec<AccountMonth> = unseeded.iter().map(|owed| owed.month).collect();
            self.try_seed(&months).await?;
            settled.extend(self.add(&unseeded).await.0);
        }
        Ok(settled)
    }

    async fn try_write_down(&mut self) -> Result<(), sqlx::Error> {
        let kept = self.keep_owed().await;
        self.write_used().await?;
        kept
    }

    /// Returns the ids of the calls that Redis has added, and those whose months it does not count yet.
    async fn add(&self, owed: &[Owed]) -> (Vec<Uuid>, Vec<Owed>) {
        let (mut done, mut unseeded) = (Vec::new(), Vec::new());
        for chunk in owed.chunks(ABREAST) {
            let calls = chunk.iter().map(|owed| {
                let Owed { id, month, calls } = *owed;
                self.counters.add(month, id, calls)
            });
            for (owed, added) in chunk.iter().zip(join_all(calls).await) {
                match added {
                    Ok(Some(used)) => {
                        self.shared.ledger.saw(owed.month, used);
                        done.push(owed.id);
                    }
                    Ok(None) => unseeded.push(owed.clone()),
                    // The row stays until the next time.
                    Err(Unavailable::NotApplied | Unavailable::Unknown) => {}
                }
            }
        }
        (done, unseeded)
    }

    async fn try_seed(&self, months: &[AccountMonth]) -> Result<Seeded, sqlx::Error> {
        let mut seeded = Seeded::default();
        let mut missing = Vec::new();
        for chunk in months.chunks(ABREAST) {
            let looks = chunk.iter().map(|month| self.counters.counts(*month));
            for (month, counts) in chunk.iter().zip(join_all(looks).await) {
                match counts {
                    Ok(true) => {
                        seeded.counted.insert(*month);
                    }
                    Ok(false) => missing.push(*month),
                    Err(_) => {}
                }
            }
        }
        if missing.is_empty() {
            return Ok(seeded);
        }
        // What this process knows is not forgotten with what Redis has lost.
        self.write_used().await?;
        let used = kit::pg::within(&self.pool, PATIENCE, async |connection| {
            store::read(connection, &missing).await
        })
        .await?;
        seeded.read = missing.len();
        metrics::counter!("month_use_seeds_total").increment(missing.len() as u64);
        for chunk in missing.chunks(ABREAST) {
            let seeds = chunk.iter().map(|month| {
                let used = used.get(month).copied().unwrap_or(0);
                self.counters.seed(*month, used)
            });
            for (month, outcome) in chunk.iter().zip(join_all(seeds).await) {
                if outcome.is_ok() {
                    seeded.counted.insert(*month);
                }
            }
        }
        Ok(seeded)
    }

    async fn write_used(&self) -> Result<(), sqlx::Error> {
        let used = self.shared.ledger.take_used();
        if used.is_empty() {
            return Ok(());
        }
        let written = kit::pg::within(&self.pool, PATIENCE, async |connection| {
            let used = used.iter().map(|(month, used)| (*month, *used));
            store::write(connection, used).await
        })
        .await;
        if written.is_err() {
            for (month, used) in used {
                self.shared.ledger.saw(month, used);
            }
        }
        written
    }

    async fn keep_owed(&mut self) -> Result<(), sqlx::Error> {
        // What may have been written keeps its ids; what came since waits its turn.
        if self.unkept.is_empty() {
            let owed = self.shared.ledger.take_owed();
            self.unkept
                .extend(owed.into_iter().map(|(month, calls)| Owed {
                    id: kit::ids::row_id(),
                    month,
                    calls,
                }));
        }
        if self.unkept.is_empty() {
            return Ok(());
        }
        kit::pg::within(&self.pool, PATIENCE, async |connection| {
            store::keep_owed(connection, &self.unkept).await
        })
        .await?;
        let calls = self.unkept.drain(..).map(|owed| owed.calls.unsigned_abs());
        metrics::counter!("month_use_owed_total").increment(calls.sum());
        Ok(())
    }

    /// While PostgreSQL is away, no call waits for it.
    fn note<T>(&mut self, outcome: &Result<T, sqlx::Error>) {
        match outcome {
            Ok(_) if self.away => tracing::info!("the month's use is written again"),
            Err(error) if !self.away => {
                tracing::warn!(%error, "the month's use is not written for now, and a month that Redis lacks cannot be counted");
            }
            _ => {}
        }
        self.away = outcome.is_err();
        self.shared.seeds.set_away(self.away);
    }
}

/// What came of seeding.
#[derive(Debug, Default)]
struct Seeded {
    /// Months that Redis counts now.
    counted: HashSet<AccountMonth>,
    /// How many had to be read.
    read: usize,
}
