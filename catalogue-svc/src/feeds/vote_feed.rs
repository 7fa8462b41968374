//! The catalogue's own feed, read by every replica: votes, voids and snapshots that any of them has committed, so that all show one board.

use std::sync::Arc;
use std::time::Duration;

use kit::feed::{ChangeBatch, read_changes};
use kit::wakeup::CatchUp;
use sqlx::PgPool;
use tokio::sync::watch;

use crate::SCHEMA;
use crate::boards::{Boards, CastVotes};
use crate::store::{snapshots, tallies};

/// How often a replica polls, in case a wakeup was lost.
const PERIOD: Duration = Duration::from_secs(1);
/// The time limit of a poll; the next poll uses another connection.
const DEADLINE: Duration = Duration::from_secs(10);
/// Between two looks: what is committed meanwhile comes together.
const PAUSE: Duration = Duration::from_millis(20);
/// Changes that are read at once.
const BATCH: usize = 1_000;

/// Loads tallies and ranks from the schema; no vote is read.
///
/// # Errors
/// PostgreSQL's.
pub async fn load(pool: &PgPool) -> anyhow::Result<CastVotes> {
    let begin = "begin isolation level repeatable read, read only";
    let mut moment = pool.begin_with(begin).await?;
    let position = tallies::position(&mut moment).await?;
    let (games, creators) = tallies::load(&mut moment).await?;
    let previous = snapshots::previous(&mut moment).await?;
    moment.commit().await?;
    Ok(CastVotes {
        position,
        games,
        creators,
        previous,
    })
}

/// Goes on for ever, woken by `news`.
pub async fn follow(
    pool: PgPool,
    boards: Arc<Boards>,
    news: watch::Receiver<u64>,
) -> anyhow::Result<()> {
    let votes = CatchUp {
        rows: "votes",
        meanwhile: "the boards stay as they are",
        poll: PERIOD,
        debounce: PAUSE,
    };
    let mut votes = votes.on(news);
    loop {
        votes.begin();
        let caught_up = catch_up(&pool, &boards).await;
        votes.end(caught_up).await?;
    }
}

/// Takes into the boards what was committed before this call. Several may do so at once.
///
/// # Errors
/// PostgreSQL's.
pub async fn catch_up(pool: &PgPool, boards: &Boards) -> anyhow::Result<()> {
    let mut is_reset = false;
    loop {
        let at = boards.position();
        let found = kit::pg::within(pool, DEADLINE, async |connection| {
            read_changes(connection, SCHEMA, at.seq, BATCH).await
        });
        let ChangeBatch { head, changes, .. } = found.await?;
        let is_next = changes.first().is_none_or(|first| first.seq == at.seq + 1);
        if head.epoch != at.epoch || head.seq < at.seq || !is_next {
            // The data were restored, or what was missed is gone from the feed: the tallies have it.
            anyhow::ensure!(!is_reset, "the tallies end before the feed begins");
            is_reset = true;
            tracing::info!(from = at.seq, to = head.seq, "the boards are loaded anew");
            boards.reset(load(pool).await?);
            continue;
        }
        let snapshot = changes
            .iter()
            .any(|change| change.entity == "board_snapshot");
        let previous = if snapshot {
            Some(snapshots::previous(&mut *pool.acquire().await?).await?)
        } else {
            None
        };
        let reached = changes.last().map_or(at.seq, |change| change.seq);
        boards.apply(&changes, reached, previous);
        if changes.len() < BATCH {
            return Ok(());
        }
    }
}
