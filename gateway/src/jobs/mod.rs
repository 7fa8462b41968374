//! Background tasks, which write what calls have left in memory.

pub mod call_records;
pub mod last_used;

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Does `work` at this interval, and a last time when `stopping`.
pub async fn repeat(
    every: Duration,
    stopping: CancellationToken,
    mut work: impl AsyncFnMut(),
) -> anyhow::Result<()> {
    while stopping.run_until_cancelled(sleep(every)).await.is_some() {
        work().await;
    }
    work().await;
    Ok(())
}
