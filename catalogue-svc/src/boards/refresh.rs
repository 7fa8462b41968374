//! Keeps the boards of a replica up to date with the votes, the hour and the newest listings.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::admin::Condition;
use sqlx::PgPool;

use super::Boards;

/// How often the boards are sorted, if votes, the hour or listings have changed.
const PERIOD: Duration = Duration::from_secs(2);
/// The pause after an update is this many times as long as the update took, within [`PERIOD`] and [`MAX_PAUSE`]: a slow update leaves PostgreSQL
/// and the replica free for calls.
const SHARE: u32 = 9;
/// The longest pause: an update may have taken long only because it waited.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Refreshes the boards periodically, as soon as there are listings. `sorted` is met after the first time.
///
/// # Errors
/// None: a refresh that fails is logged, and the boards stay as they are until one succeeds.
pub async fn run(
    boards: Arc<Boards>,
    pool: PgPool,
    clock: Clock,
    sorted: Condition,
) -> anyhow::Result<()> {
    boards.catalogue.loaded().await;
    let mut is_failing = false;
    loop {
        let refreshed = boards.refresh(&pool, clock.now()).await;
        match &refreshed {
            Ok(_) => sorted.set(true),
            Err(error) if !is_failing => {
                let error = format!("{error:#}");
                tracing::warn!(
                    error,
                    "the boards cannot be sorted, and stay as they are; retrying"
                );
            }
            Err(_) => {}
        }
        is_failing = refreshed.is_err();
        let took = refreshed.unwrap_or_default();
        tokio::time::sleep((took * SHARE).clamp(PERIOD, MAX_PAUSE)).await;
    }
}
