//! Removes the names of players, and what they wrote, from old tips and swaps.

use std::time::Duration;

use kit::jobs::Leader;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::store::{swaps, tips};

const PERIOD: Duration = Duration::from_hours(1);
/// For how long staff can see who sent a tip or swapped, as the guides and the privacy page say. A
/// market counts the parties of a day.
pub const PLAYERS_KEPT: time::Duration = time::Duration::days(90);
/// The most rows that one statement changes.
const PORTION: i64 = 10_000;

/// Adds the job to those of the leader.
pub(crate) fn spawn(leader: &Leader, pool: &PgPool) {
    let pool = pool.clone();
    leader.spawn_periodic("retention", PERIOD, move |now| {
        let pool = pool.clone();
        async move { Ok(remove(&pool, now).await?) }
    });
}

/// Removes the players of tips and swaps that are older than 90 days; returns their number. Tips and swaps stay.
pub async fn remove(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let before = now - PLAYERS_KEPT;
    let mut removed = 0;
    loop {
        let of_tips = tips::remove_players(pool, before, PORTION).await?;
        let of_swaps = swaps::remove_parties(pool, before, PORTION).await?;
        removed += of_tips + of_swaps;
        if of_tips.max(of_swaps) < PORTION.unsigned_abs() {
            return Ok(removed);
        }
    }
}
