//! Month use in PostgreSQL: a copy of the counts in Redis, in case Redis loses them.
//!
//! Counts are written in batches. A call whose month Redis lacks loads the month from the copy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use sqlx::PgPool;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::redis::Counters;
use crate::domain::month::AccountMonth;
use crate::per_thread::PerThread;
use crate::store::month_use as store;

/// Months that are being loaded are joined up to about this many. More are loaded nevertheless.
const JOINED: usize = 1_000;
/// Months that are loaded at once. When a month begins, all accounts lack it, and the other work needs connections too.
const LOADS: usize = 4;

#[derive(Debug)]
pub(super) struct MonthUseCopy {
    pool: PgPool,
    /// How long a call waits for its month. After that, the call is decided as if Redis were unavailable.
    deadline: Duration,
    /// Counts from Redis that are not in PostgreSQL yet.
    pending: PerThread<HashMap<AccountMonth, u64>>,
    /// Joins the calls that wait for one month. Months are removed at once.
    loads: Cache<AccountMonth, ()>,
    permits: Semaphore,
    /// The last flush failed, so no call waits for PostgreSQL. A load that fails says less: it may have been one of too many.
    is_unavailable: AtomicBool,
}

/// PostgreSQL or Redis failed.
struct Failed;

impl MonthUseCopy {
    pub(super) fn new(pool: PgPool, deadline: Duration) -> Self {
        Self {
            pool,
            deadline,
            pending: PerThread::default(),
            loads: Cache::new(JOINED),
            permits: Semaphore::new(LOADS),
            is_unavailable: AtomicBool::new(false),
        }
    }

    /// Records a count that Redis returned. Replies may overtake each other: the highest count wins.
    pub(super) fn record(&self, month: AccountMonth, used: u64) {
        self.pending.with(|pending| raise(pending, month, used));
    }

    /// Loads a month into Redis. Returns whether Redis has the month now.
    pub(super) async fn load(&self, month: AccountMonth, counters: &Counters) -> bool {
        if self.is_unavailable.load(Ordering::Relaxed) {
            return false;
        }
        let load = self.loads.get_or_insert_async(&month, self.try_load(month, counters));
        let is_loaded = matches!(timeout(self.deadline, load).await, Ok(Ok(())));
        if is_loaded {
            self.loads.remove(&month);
        }
        is_loaded
    }

    async fn try_load(&self, month: AccountMonth, counters: &Counters) -> Result<(), Failed> {
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        // This process may still have counts that Redis has lost.
        self.write_pending().await.map_err(|_failed| Failed)?;
        let read = kit::pg::within(&self.pool, self.deadline, async |connection| {
            store::read(connection, month).await
        });
        let used = read.await.map_err(|error| {
            tracing::debug!(%error, "cannot load a month that Redis lacks");
            Failed
        })?;
        let seeded = counters.seed(month, used.unwrap_or(0)).await;
        seeded.map_err(|_unavailable| Failed)
    }

    /// Writes the pending counts to PostgreSQL. Returns whether it worked, and logs when it no longer does, and when it does again.
    pub(super) async fn flush(&self) -> bool {
        let written = self.write_pending().await;
        let was_unavailable = self.is_unavailable.swap(written.is_err(), Ordering::Relaxed);
        match &written {
            Ok(()) if was_unavailable => {
                tracing::info!("writing month use to PostgreSQL works again");
            }
            Err(error) if !was_unavailable => {
                tracing::warn!(%error, "cannot write month use to PostgreSQL, nor load months that Redis lacks");
            }
            _ => {}
        }
        written.is_ok()
    }

    async fn write_pending(&self) -> Result<(), sqlx::Error> {
        let used = self.take();
        // While PostgreSQL is unavailable, a statement without rows finds out whether it is back.
        if used.is_empty() && !self.is_unavailable.load(Ordering::Relaxed) {
            return Ok(());
        }
        let written = kit::pg::within(&self.pool, self.deadline, async |connection| {
            let used = used.iter().map(|(month, used)| (*month, *used));
            store::write(connection, used).await
        })
        .await;
        if written.is_err() {
            for (month, used) in used {
                self.record(month, used);
            }
        }
        written
    }

    /// Takes the pending counts of all threads.
    fn take(&self) -> HashMap<AccountMonth, u64> {
        let mut all = HashMap::new();
        for (month, used) in self.pending.take().flatten() {
            raise(&mut all, month, used);
        }
        all
    }
}

fn raise(counts: &mut HashMap<AccountMonth, u64>, month: AccountMonth, used: u64) {
    let count = counts.entry(month).or_default();
    *count = used.max(*count);
}

#[cfg(test)]
mod tests {
    use sqlx::postgres::PgPoolOptions;
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::domain::month::Month;

    #[tokio::test]
    async fn the_highest_count_of_all_threads_is_taken_once() {
        let nowhere = PgPoolOptions::new().connect_lazy("postgres://127.0.0.1:1/nothing");
        let month_use = MonthUseCopy::new(nowhere.unwrap(), Duration::ZERO);
        let month = AccountMonth {
            account: Uuid::from_u128(1),
            month: Month::at(datetime!(2026-03-01 08:00 UTC)),
        };
        let record = |thread: u64| {
            for call in (0..1_000).rev() {
                month_use.record(month, call * 8 + thread);
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || record(thread));
            }
        });
        assert_eq!(month_use.take(), HashMap::from([(month, 7_999)]));
        assert_eq!(month_use.take(), HashMap::new());
    }
}
