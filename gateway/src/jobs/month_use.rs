//! Synchronizes month use between Redis, which counts it, and PostgreSQL, which has a copy in case Redis loses it.
//!
//! From Redis to PostgreSQL: counts, written in batches. From PostgreSQL to Redis: months that Redis lacks, and calls that were admitted
//! while Redis was away.

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
use crate::quota::{Counters, SharedCounters};
use crate::store::month_use::{self as store, OwedCalls};

/// Months or rows per statement.
const BATCH: usize = 1_000;
/// Concurrent calls to Redis: few enough that all are answered well before Redis counts as away.
const CONCURRENCY: usize = 64;

/// The task that synchronizes month use; one per process.
#[derive(Debug)]
pub struct MonthUse {
    pool: PgPool,
    /// The deadline for PostgreSQL. It is short, since calls wait for their months.
    deadline: Duration,
    counters: Counters,
    shared: Arc<SharedCounters>,
    /// Calls that Redis has not counted and that may not be in PostgreSQL yet.
    unsaved: Vec<OwedCalls>,
    /// Whether the last access to PostgreSQL failed.
    away: bool,
}

impl MonthUse {
    pub fn new(
        pool: PgPool,
        deadline: Duration,
        redis: Redis,
        shared: Arc<SharedCounters>,
    ) -> Self {
        Self {
            pool,
            deadline,
            counters: Counters::new(redis),
            shared,
            unsaved: Vec::new(),
            away: false,
        }
    }

    /// Runs until `stopping`: synchronizes `every` interval, and loads requested months at once. Flushes at the end.
    pub async fn run(mut self, every: Duration, stopping: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        let mut due = tokio::time::interval(every);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => break,
                _ = due.tick() => self.sync().await,
                () = shared.backfill.requested() => {
                    self.seed().await;
                }
            }
        }
        self.flush().await;
    }

    /// Writes all counts to PostgreSQL that only this process has.
    pub async fn flush(&mut self) {
        let outcome = self.try_flush().await;
        self.report(&outcome);
    }

    /// Flushes, and adds the calls that Redis has not counted, whichever gateway admitted them.
    pub async fn sync(&mut self) {
        let outcome = self.try_sync().await;
        self.report(&outcome);
    }

    /// Loads the months that calls wait for into Redis. Returns how many were read from PostgreSQL.
    pub async fn seed(&mut self) -> usize {
        let mut read = 0;
        loop {
            let requests = self.shared.backfill.take_batch(BATCH);
            if requests.is_empty() {
                return read;
            }
            let months: Vec<AccountMonth> = requests.iter().map(|request| request.month).collect();
            let outcome = self.try_seed(&months).await;
            self.report(&outcome);
            if outcome.is_ok() {
                read += months.len();
            }
            let seeded = outcome.unwrap_or_default();
            for request in requests {
                let counts = seeded.contains(&request.month);
                self.shared.backfill.complete(request, counts);
            }
        }
    }

    async fn try_sync(&mut self) -> Result<(), sqlx::Error> {
        self.save_owed().await?;
        let most = i64::try_from(BATCH).unwrap_or(i64::MAX);
        // Past the rows that Redis refuses, such as those of a node that is away: they wait for the next round.
        let mut after = Uuid::nil();
        loop {
            let owed = kit::pg::within(&self.pool, self.deadline, async |connection| {
                store::list_owed(connection, after, most).await
            })
            .await?;
            let added = self.add_owed(&owed).await?;
            // Write the counts before deleting the rows: if Redis loses the calls, one of the two still has them.
            self.write_used().await?;
            if !added.is_empty() {
                kit::pg::within(&self.pool, self.deadline, async |connection| {
                    store::delete_owed(connection, &added).await
                })
                .await?;
            }
            match owed.last() {
                Some(last) if owed.len() == BATCH => after = last.id,
                _ => break,
            }
        }
        metrics::counter!("month_use_exchanges_total").increment(1);
        Ok(())
    }

    /// Adds calls in Redis, after seeding the months that it lacks. Returns the ids of the added rows.
    async fn add_owed(&self, owed: &[OwedCalls]) -> Result<Vec<Uuid>, sqlx::Error> {
        let (mut added, unseeded) = self.add(owed).await;
        if !unseeded.is_empty() {
            let months: Vec<AccountMonth> = unseeded.iter().map(|owed| owed.month).collect();
            self.try_seed(&months).await?;
            added.extend(self.add(&unseeded).await.0);
        }
        Ok(added)
    }

    async fn try_flush(&mut self) -> Result<(), sqlx::Error> {
        let saved = self.save_owed().await;
        self.write_used().await?;
        saved
    }

    /// Returns the ids of the rows that Redis has added, and the rows whose months it lacks.
    async fn add(&self, owed: &[OwedCalls]) -> (Vec<Uuid>, Vec<OwedCalls>) {
        let (mut done, mut unseeded) = (Vec::new(), Vec::new());
        for chunk in owed.chunks(CONCURRENCY) {
            let calls = chunk.iter().map(|owed| {
                let OwedCalls { id, month, calls } = *owed;
                self.counters.add(month, id, calls)
            });
            for (owed, added) in chunk.iter().zip(join_all(calls).await) {
                match added {
                    Ok(Some(used)) => {
                        self.shared.ledger.record_used(owed.month, used);
                        done.push(owed.id);
                    }
                    Ok(None) => unseeded.push(owed.clone()),
                    // The row stays for the next round.
                    Err(Unavailable::NotApplied | Unavailable::Unknown) => {}
                }
            }
        }
        (done, unseeded)
    }

    /// Reads months from PostgreSQL into Redis. Returns those that Redis has now.
    async fn try_seed(
        &self,
        months: &[AccountMonth],
    ) -> Result<HashSet<AccountMonth>, sqlx::Error> {
        // This process may still have counts that Redis has lost.
        self.write_used().await?;
        let used = kit::pg::within(&self.pool, self.deadline, async |connection| {
            store::read(connection, months).await
        })
        .await?;
        metrics::counter!("month_use_seeds_total").increment(months.len() as u64);
        let mut seeded = HashSet::new();
        for chunk in months.chunks(CONCURRENCY) {
            let seeds = chunk.iter().map(|month| {
                let used = used.get(month).copied().unwrap_or(0);
                self.counters.seed(*month, used)
            });
            let outcomes = chunk.iter().zip(join_all(seeds).await);
            seeded.extend(outcomes.filter_map(|(month, outcome)| outcome.ok().map(|()| *month)));
        }
        Ok(seeded)
    }

    async fn write_used(&self) -> Result<(), sqlx::Error> {
        let used = self.shared.ledger.take_used();
        if used.is_empty() {
            return Ok(());
        }
        let written = kit::pg::within(&self.pool, self.deadline, async |connection| {
            let used = used.iter().map(|(month, used)| (*month, *used));
            store::write(connection, used).await
        })
        .await;
        if written.is_err() {
            for (month, used) in used {
                self.shared.ledger.record_used(month, used);
            }
        }
        written
    }

    async fn save_owed(&mut self) -> Result<(), sqlx::Error> {
        // Rows that may have been written keep their ids. Later calls wait for the next round.
        if self.unsaved.is_empty() {
            let owed = self.shared.ledger.take_owed();
            self.unsaved
                .extend(owed.into_iter().map(|(month, calls)| OwedCalls {
                    id: kit::ids::row_id(),
                    month,
                    calls,
                }));
        }
        if self.unsaved.is_empty() {
            return Ok(());
        }
        kit::pg::within(&self.pool, self.deadline, async |connection| {
            store::insert_owed(connection, &self.unsaved).await
        })
        .await?;
        let calls = self.unsaved.drain(..).map(|owed| owed.calls.unsigned_abs());
        metrics::counter!("month_use_owed_total").increment(calls.sum());
        Ok(())
    }

    /// While PostgreSQL is away, calls do not wait for it.
    fn report<T>(&mut self, outcome: &Result<T, sqlx::Error>) {
        match outcome {
            Ok(_) if self.away => tracing::info!("writing month use to PostgreSQL works again"),
            Err(error) if !self.away => {
                tracing::warn!(%error, "cannot write month use to PostgreSQL, nor load months that Redis lacks");
            }
            _ => {}
        }
        self.away = outcome.is_err();
        self.shared.backfill.set_database_away(self.away);
    }
}
