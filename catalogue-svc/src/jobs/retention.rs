//! Every hour: removes what no board, voter or member of the staff needs any more.

use std::time::Duration;

use kit::periodic::Periodic;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::SCHEMA;
use crate::domain::rankings::Hour;
use crate::domain::vote;
use crate::store::{snapshots, tallies, voters, votes};

const PERIOD: Duration = Duration::from_hours(1);
/// Rows removed in one statement.
const PORTION: i64 = 10_000;

/// How long what is kept.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// Votes, which may be voided so long.
    pub votes: time::Duration,
    /// Snapshots of the boards.
    pub snapshots: time::Duration,
}

/// Starts the job.
pub(crate) fn spawn(lifecycle: &Lifecycle, pool: &PgPool, clock: &Clock, kept: Kept) {
    let job = Periodic::new(pool.clone(), SCHEMA, "retention", PERIOD, clock.clone());
    let pool = pool.clone();
    job.spawn(lifecycle, move |now| {
        let pool = pool.clone();
        async move { Ok(remove(&pool, now, kept).await?) }
    });
}

/// Removes what is older than it is kept; returns how many votes went. What they did to the tally of all time stays.
///
/// # Errors
/// PostgreSQL's.
pub async fn remove(pool: &PgPool, now: OffsetDateTime, kept: Kept) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    loop {
        let portion = votes::remove_before(pool, now - kept.votes, PORTION).await?;
        removed += portion;
        if portion < PORTION.unsigned_abs() {
            break;
        }
    }
    while voters::forget(pool, now - kept.votes, PORTION).await? == PORTION.unsigned_abs() {}
    voters::forget_networks(pool, vote::day(now)).await?;
    tallies::remove_before(pool, Hour::of(now).oldest_kept()).await?;
    let mut connection = pool.acquire().await?;
    snapshots::remove_before(&mut connection, now - kept.snapshots).await?;
    Ok(removed)
}
