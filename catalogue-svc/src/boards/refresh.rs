//! Keeps the boards of a replica up to date with the votes that were added up, the hour, and the newest listings.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::wakeup::CatchUp;
use sqlx::PgPool;
use tokio::sync::watch;

use super::Boards;

/// How often a replica polls, since votes are added up within a second and wakeups may be lost.
const PERIOD: Duration = Duration::from_secs(1);
/// The shortest pause between two updates: votes that are committed meanwhile are sorted together.
const PAUSE: Duration = Duration::from_secs(2);
/// The pause after an update is at least this many times as long as the update took, so that a slow update leaves PostgreSQL and the replica
/// free for calls.
const SHARE: u32 = 9;

/// Refreshes the boards periodically, and when `wakeups` signals new votes.
///
/// # Errors
/// The receiver was closed.
pub async fn run(
    boards: Arc<Boards>,
    pool: PgPool,
    clock: Clock,
    wakeups: watch::Receiver<u64>,
) -> anyhow::Result<()> {
    let catch_up = CatchUp {
        rows: "votes",
        meanwhile: "the boards stay as they are",
        poll: PERIOD,
        debounce: PAUSE,
    };
    let mut catch_up = catch_up.on(wakeups);
    loop {
        catch_up.begin();
        let refreshed = boards.refresh(&pool, clock.now()).await;
        let took = refreshed.as_ref().copied().unwrap_or_default();
        tokio::time::sleep((took * SHARE).saturating_sub(PAUSE)).await;
        catch_up.end(refreshed.map(drop)).await?;
    }
}
