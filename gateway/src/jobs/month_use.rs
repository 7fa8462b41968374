//! Writes month use, which Redis counts, to its copy in PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::quota::SharedCounters;

/// Runs until `stopping`: flushes `every` interval and at the end.
pub async fn run(shared: Arc<SharedCounters>, every: Duration, stopping: CancellationToken) {
    let mut due = tokio::time::interval(every);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stopping.run_until_cancelled(due.tick()).await.is_some() {
        shared.flush_months().await;
    }
    shared.flush_months().await;
}
