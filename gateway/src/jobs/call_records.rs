//! Writes the calls that the replica has recorded.
//!
//! The log is written to Redis every second, and the counts to PostgreSQL every ten seconds. A replica that is killed loses the records
//! that it has not written. Old counts are deleted once an hour.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contracts::gateway::v1::Call;
use futures::StreamExt as _;
use futures::stream;
use kit::{Clock, ids, pg};
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::call_log::{CallLog, CallRecorder, sort_key};
use crate::domain::call_record::{self, COUNTED_DAYS, CallCounts, CallGroup};
use crate::store::day_use;

/// How far the log may lag behind.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// After how many writes of the log the counts are written.
const COUNTS_EVERY: u32 = 10;

/// The timeout of a write to PostgreSQL.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Logs that are written at the same time.
const CONCURRENT_LOGS: usize = 16;

/// The most groups of calls that wait for PostgreSQL; about 20 MB. Calls of further ones are not counted.
const MAX_GROUPS: usize = 100_000;

/// After this time, no replica writes a batch again.
const BATCH_AGE: time::Duration = time::Duration::days(7);

/// The most groups of calls that one statement writes.
const BATCH: usize = 1_000;

/// The most rows that one statement deletes.
const DELETED_ROWS: i64 = 10_000;

#[derive(Debug)]
pub struct CallRecords {
    recorder: Arc<CallRecorder>,
    log: CallLog,
    pool: PgPool,
    clock: Clock,
    /// The prefix of API keys, which the log must not have.
    key_prefix: String,
    /// Counts that PostgreSQL does not have.
    unwritten: HashMap<CallGroup, CallCounts>,
    /// Counts that PostgreSQL may have: their last write failed.
    batch: Option<Batch>,
}

/// Counts that are written once. A retry has the same id and the same counts.
#[derive(Debug)]
struct Batch {
    id: Uuid,
    counts: Vec<(CallGroup, CallCounts)>,
}

impl CallRecords {
    pub fn new(
        recorder: Arc<CallRecorder>,
        log: CallLog,
        pool: PgPool,
        clock: Clock,
        key_prefix: &str,
    ) -> Self {
        Self {
            recorder,
            log,
            pool,
            clock,
            key_prefix: key_prefix.to_owned(),
            unwritten: HashMap::new(),
            batch: None,
        }
    }

    /// Writes periodically, and a last time when `stopping`.
    pub async fn run(mut self, stopping: CancellationToken) {
        let mut writes: u32 = 0;
        loop {
            let stopped = tokio::select! {
                () = stopping.cancelled() => true,
                () = tokio::time::sleep(LOG_INTERVAL) => false,
            };
            self.write_log().await;
            writes = writes.wrapping_add(1);
            if (stopped || writes.is_multiple_of(COUNTS_EVERY))
                && let Err(error) = self.write_counts().await
            {
                tracing::warn!(%error, "cannot write the counts of calls; trying again");
            }
            if stopped {
                return;
            }
        }
    }

    /// Takes the recorded calls, and appends them to the logs. While Redis is away, they are lost.
    pub async fn write_log(&mut self) {
        let mut logged: HashMap<Uuid, (Vec<Call>, u64)> = HashMap::new();
        let mut unrecorded = 0;
        for collected in self.recorder.take() {
            unrecorded += collected.unrecorded;
            for (account, calls) in collected.accounts {
                unrecorded += add(&mut self.unwritten, &calls.counts);
                if !calls.logged.is_empty() {
                    let (all, left_out) = logged.entry(account).or_default();
                    all.extend(calls.logged);
                    *left_out += calls.left_out;
                }
            }
        }
        count_lost("counts", unrecorded);
        let (log, prefix, now) = (&self.log, self.key_prefix.as_str(), self.clock.now());
        let appended = stream::iter(logged).map(async |(account, (calls, left_out))| {
            let calls = messages(calls, left_out, prefix);
            let appended = log.append(account, &calls, now).await;
            if appended.is_ok() { 0 } else { calls.len() }
        });
        let lost: usize = appended
            .buffer_unordered(CONCURRENT_LOGS)
            .fold(0, async |sum, lost| sum + lost)
            .await;
        count_lost("log", lost as u64);
    }

    /// Adds the counts to those in PostgreSQL. After an error they are written again later, and count once also if PostgreSQL has committed
    /// them nevertheless.
    pub async fn write_counts(&mut self) -> Result<(), sqlx::Error> {
        while let Some(batch) = self.batch.take().or_else(|| self.next_batch()) {
            let now = self.clock.now();
            let written = pg::within(&self.pool, TIMEOUT, async |connection| {
                day_use::add(connection, batch.id, &batch.counts, now).await
            });
            if let Err(error) = written.await {
                self.batch = Some(batch);
                return Err(error);
            }
        }
        Ok(())
    }

    fn next_batch(&mut self) -> Option<Batch> {
        let groups: Vec<CallGroup> = self.unwritten.keys().take(BATCH).copied().collect();
        let counts = groups.into_iter();
        let counts = counts.filter_map(|group| self.unwritten.remove_entry(&group));
        let counts: Vec<_> = counts.collect();
        (!counts.is_empty()).then(|| Batch {
            id: ids::row_id(),
            counts,
        })
    }
}

/// Deletes counts that are too old. Returns how many rows.
pub async fn delete_old_counts(pool: PgPool, now: OffsetDateTime) -> anyhow::Result<u64> {
    let first = call_record::first_day(now, COUNTED_DAYS);
    let mut connection = pool.acquire().await?;
    day_use::delete_batches_before(&mut connection, now - BATCH_AGE).await?;
    let mut deleted = 0;
    loop {
        let rows = day_use::delete_before(&mut connection, first, DELETED_ROWS).await?;
        deleted += rows;
        if rows < DELETED_ROWS.unsigned_abs() {
            return Ok(deleted);
        }
    }
}

/// Adds counts. Returns how many calls there was no space for.
fn add(sums: &mut HashMap<CallGroup, CallCounts>, counts: &[(CallGroup, CallCounts)]) -> u64 {
    let mut lost = 0;
    for (group, counts) in counts {
        if let Some(sum) = sums.get_mut(group) {
            sum.add(*counts);
        } else if sums.len() < MAX_GROUPS {
            sums.insert(*group, *counts);
        } else {
            lost += counts.calls;
        }
    }
    lost
}

/// The calls as the log holds them, oldest first. The last one says how many are left out.
fn messages(mut calls: Vec<Call>, left_out: u64, key_prefix: &str) -> Vec<Call> {
    calls.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    for call in &mut calls {
        call.target = call_record::target(&call.target, key_prefix);
    }
    if let Some(last) = calls.last_mut() {
        last.left_out = left_out;
    }
    calls
}

fn count_lost(what: &'static str, calls: u64) {
    if calls > 0 {
        metrics::counter!("calls_unrecorded_total", "what" => what).increment(calls);
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn groups_that_wait_for_postgresql_are_bounded() {
        let group = |account: usize| CallGroup {
            account: Uuid::from_u128(account as u128),
            day: date!(2026 - 03 - 01),
            is_live: true,
            route: "/v1/games",
            method: "GET",
        };
        let mut sums = HashMap::new();
        for account in 0..MAX_GROUPS {
            assert_eq!(add(&mut sums, &[(group(account), CallCounts::of(200))]), 0);
        }
        let further = [
            (group(MAX_GROUPS), CallCounts::of(200)),
            (group(7), CallCounts::of(404)),
        ];
        assert_eq!(add(&mut sums, &further), 1);
        assert_eq!(sums[&group(7)].calls, 2, "those that are there still count");
    }
}
