//! Removes votes, voters and snapshots every hour that no board, voter or member of staff needs any more.

use std::time::Duration;

use kit::jobs::Leader;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::domain::rankings::Hour;
use crate::domain::vote;
use crate::store::{board_snapshots, networks, tallies, voters, votes};

const PERIOD: Duration = Duration::from_hours(1);
/// The most rows that one statement removes.
const PORTION: i64 = 10_000;

/// Adds the job to those of the leader.
pub(crate) fn spawn(leader: &Leader, pool: &PgPool, votes_kept: time::Duration) {
    let pool = pool.clone();
    leader.spawn_periodic("retention", PERIOD, move |now| {
        let pool = pool.clone();
        async move { Ok(remove(&pool, now, votes_kept).await?) }
    });
}

/// Removes votes that are older than `votes_kept`, voters without other votes, and old snapshots; returns the number of removed votes. The tally
/// of all time keeps them.
pub async fn remove(
    pool: &PgPool,
    now: OffsetDateTime,
    votes_kept: time::Duration,
) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    loop {
        let portion = votes::remove_before(pool, now - votes_kept, PORTION).await?;
        removed += portion;
        if portion < PORTION.unsigned_abs() {
            break;
        }
    }
    let seen_before = now - votes_kept;
    while voters::remove_without_votes(pool, seen_before, PORTION).await? == PORTION.unsigned_abs()
    {
    }
    // After midnight, votes on pairs that were drawn before it still count for the day before.
    networks::remove_days(pool, vote::day(now - time::Duration::DAY)).await?;
    tallies::remove_before(pool, Hour::containing(now).oldest_kept()).await?;
    let mut connection = pool.acquire().await?;
    board_snapshots::remove_old(&mut connection).await?;
    Ok(removed)
}
