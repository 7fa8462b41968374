//! Synchronizes month use between Redis, which counts it, and PostgreSQL, which has a copy in case Redis loses it.
//!
//! From Redis to PostgreSQL: counts, written in batches. From PostgreSQL to Redis: months that Redis lacks.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kit::redis::Redis;
use sqlx::PgPool;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::domain::quota::AccountMonth;
use crate::quota::{Counters, SharedCounters};
use crate::store::month_use as store;

/// Months per statement.
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
            away: false,
        }
    }

    /// Runs until `stopping`: flushes `every` interval and at the end, and loads requested months at once.
    pub async fn run(mut self, every: Duration, stopping: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        let mut due = tokio::time::interval(every);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => break,
                _ = due.tick() => self.flush().await,
                () = shared.backfill.requested() => {
                    self.seed().await;
                }
            }
        }
        self.flush().await;
    }

    /// Writes all counts to PostgreSQL that only this process has.
    pub async fn flush(&mut self) {
        let outcome = self.write_used().await;
        if outcome.is_ok() {
            metrics::counter!("month_use_exchanges_total").increment(1);
        }
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
        // While PostgreSQL is away, a statement without rows finds out whether it is back.
        if used.is_empty() && !self.away {
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
