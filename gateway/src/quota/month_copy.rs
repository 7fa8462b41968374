//! The copy of month use in PostgreSQL, in case Redis, which counts it, loses it.
//!
//! Counts are written to the copy in batches. A call whose month Redis lacks reads the month from the copy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use sqlx::PgPool;
use tokio::time::timeout;

use super::ledger::Ledger;
use super::redis::Counters;
use crate::domain::quota::AccountMonth;
use crate::store::month_use as store;

/// Months that are being loaded are joined up to about this many. More are loaded nevertheless.
const LOADS: usize = 1_000;

#[derive(Debug)]
pub(super) struct MonthCopy {
    pool: PgPool,
    /// How long a call waits for its month. After that, the call is decided as if Redis were away.
    deadline: Duration,
    pub(super) ledger: Ledger,
    /// Joins the calls that wait for one month. Months are removed at once.
    loads: Cache<AccountMonth, ()>,
    /// The last access to PostgreSQL failed, so no call waits for it.
    is_away: AtomicBool,
}

/// The month was not loaded. The reason is in the log.
struct NotLoaded;

impl MonthCopy {
    pub(super) fn new(pool: PgPool, deadline: Duration) -> Self {
        Self {
            pool,
            deadline,
            ledger: Ledger::default(),
            loads: Cache::new(LOADS),
            is_away: AtomicBool::new(false),
        }
    }

    /// Loads a month into Redis. Returns whether Redis has the month now.
    pub(super) async fn load(&self, month: AccountMonth, counters: &Counters) -> bool {
        if self.is_away.load(Ordering::Relaxed) {
            return false;
        }
        let load = self
            .loads
            .get_or_insert_async(&month, self.try_load(month, counters));
        let is_loaded = matches!(timeout(self.deadline, load).await, Ok(Ok(())));
        if is_loaded {
            self.loads.remove(&month);
        }
        is_loaded
    }

    async fn try_load(&self, month: AccountMonth, counters: &Counters) -> Result<(), NotLoaded> {
        // This process may still have counts that Redis has lost.
        self.flush().await?;
        let read = kit::pg::within(&self.pool, self.deadline, async |connection| {
            store::read(connection, month).await
        });
        let used = self.reported(read.await)?;
        metrics::counter!("month_use_seeds_total").increment(1);
        let seeded = counters.seed(month, used.unwrap_or(0)).await;
        seeded.map_err(|_away| NotLoaded)
    }

    /// Writes all counts to PostgreSQL that only this process has. Returns whether that succeeded.
    pub(super) async fn write(&self) -> bool {
        self.flush().await.is_ok()
    }

    async fn flush(&self) -> Result<(), NotLoaded> {
        let used = self.ledger.take_used();
        // While PostgreSQL is away, a statement without rows finds out whether it is back.
        if used.is_empty() && !self.is_away.load(Ordering::Relaxed) {
            return Ok(());
        }
        let written = kit::pg::within(&self.pool, self.deadline, async |connection| {
            let used = used.iter().map(|(month, used)| (*month, *used));
            store::write(connection, used).await
        })
        .await;
        if written.is_err() {
            for (month, used) in used {
                self.ledger.record_used(month, used);
            }
        }
        self.reported(written)
    }

    /// Logs when PostgreSQL goes away, and when it is back.
    fn reported<T>(&self, outcome: Result<T, sqlx::Error>) -> Result<T, NotLoaded> {
        let was_away = self.is_away.swap(outcome.is_err(), Ordering::Relaxed);
        match &outcome {
            Ok(_) if was_away => tracing::info!("writing month use to PostgreSQL works again"),
            Err(error) if !was_away => {
                tracing::warn!(%error, "cannot write month use to PostgreSQL, nor load months that Redis lacks");
            }
            _ => {}
        }
        outcome.map_err(|_logged| NotLoaded)
    }
}
