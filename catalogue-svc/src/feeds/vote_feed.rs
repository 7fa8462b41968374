//! The catalogue's own feed, read by every replica: votes, voids and snapshots that any of them has committed, so that all show one board.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::feed::{ChangeBatch, read_changes};
use kit::wakeup::CatchUp;
use sqlx::{Connection as _, PgPool};
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::SCHEMA;
use crate::boards::{Boards, CastVotes};
use crate::domain::rankings::Hour;
use crate::domain::tally::Tallies;
use crate::store::{snapshots, tallies};

/// How often a replica polls, in case a wakeup was lost; and how late it sees a new hour or a changed listing.
const PERIOD: Duration = Duration::from_secs(1);
/// The time limit of a poll; the next poll uses another connection.
const DEADLINE: Duration = Duration::from_secs(10);
/// Between two updates: what is committed meanwhile is sorted together.
const PAUSE: Duration = Duration::from_secs(2);
/// Where sorting takes long, the pause is so many times as long.
const SHARE: u32 = 9;
/// The time limit of loading all tallies, in deadlines of the pool: a minute in production. The loop holds the votes meanwhile.
const LOAD_DEADLINES: u32 = 12;
/// Changes that are read at once.
const BATCH: usize = 1_000;

/// Loads sums and ranks from the schema, for the hours of `empty`; no vote is read.
///
/// # Errors
/// PostgreSQL's.
pub async fn load(pool: &PgPool, empty: Tallies) -> anyhow::Result<CastVotes> {
    // All tallies are one statement.
    let begin = "begin isolation level repeatable read, read only; set local statement_timeout = 0";
    let deadline = kit::pg::deadline(pool) * LOAD_DEADLINES;
    let loading = kit::pg::within(pool, deadline, async |connection| {
        let mut moment = connection.begin_with(begin).await?;
        let position = tallies::position(&mut moment).await?;
        let tallies = tallies::load(&mut moment, empty).await?;
        let previous = snapshots::previous(&mut moment).await?;
        moment.commit().await?;
        Ok(CastVotes {
            position,
            tallies: Arc::new(tallies),
            previous,
        })
    });
    Ok(loading.await?)
}

/// Goes on for ever, woken by `news`.
pub async fn follow(
    pool: PgPool,
    boards: Arc<Boards>,
    clock: Clock,
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
        let updated = update(&pool, &boards, clock.now()).await;
        let took = updated.as_ref().copied().unwrap_or_default();
        tokio::time::sleep((took * SHARE).saturating_sub(PAUSE)).await;
        votes.end(updated.map(drop)).await?;
    }
}

/// Brings the boards up to date: with the votes that were committed before this call, the hour, and the newest listings.
///
/// Of several callers each waits for those before it. Returns how long the boards took to build.
///
/// # Errors
/// PostgreSQL's.
pub async fn update(
    pool: &PgPool,
    boards: &Boards,
    now: OffsetDateTime,
) -> anyhow::Result<Duration> {
    let mut votes = boards.votes().await;
    catch_up(pool, &mut votes).await?;
    advance_to(pool, &mut votes, Hour::of(now)).await?;
    boards.rebuild(&votes).await
}

/// Applies what was committed before this call.
///
/// # Errors
/// PostgreSQL's.
pub async fn catch_up(pool: &PgPool, votes: &mut CastVotes) -> anyhow::Result<()> {
    let mut is_reset = false;
    loop {
        let at = votes.position;
        let found = kit::pg::within(pool, DEADLINE, async |connection| {
            read_changes(connection, SCHEMA, at.seq, BATCH).await
        });
        let found = found.await?;
        let has_gap = found.has_gap(at.seq);
        let ChangeBatch {
            head,
            changes,
            is_complete,
            ..
        } = found;
        if head.epoch != at.epoch || head.seq < at.seq || has_gap {
            // The data were restored, or what was missed is gone from the feed: the tallies have it.
            anyhow::ensure!(
                !is_reset,
                "the feed lacks changes that the tallies do not have yet"
            );
            is_reset = true;
            tracing::info!(from = at.seq, to = head.seq, "the boards are loaded anew");
            *votes = load(pool, votes.tallies.emptied()).await?;
            continue;
        }
        if (changes.iter()).any(|change| change.entity == "board_snapshot") {
            let loading = kit::pg::within(pool, DEADLINE, snapshots::previous);
            votes.previous = loading.await?;
        }
        if !changes.is_empty() {
            votes.apply(&changes);
        }
        if is_complete {
            return Ok(());
        }
    }
}

/// Moves the windows, so that `hour` is their last: the votes of the hours that leave or enter one are read from the schema.
async fn advance_to(pool: &PgPool, votes: &mut CastVotes, hour: Hour) -> anyhow::Result<()> {
    if votes.tallies.hour() == hour {
        return Ok(());
    }
    let moving = match votes.tallies.moving_hours(hour) {
        Some(hours) => {
            let found = kit::pg::within(pool, DEADLINE, async |connection| {
                tallies::of_hours(connection, &hours, votes.position).await
            });
            found.await?
        }
        None => None,
    };
    if let Some(moving) = moving {
        Arc::make_mut(&mut votes.tallies).advance_to(hour, &moving);
        return Ok(());
    }
    *votes = load(pool, Tallies::new(hour)).await?;
    catch_up(pool, votes).await
}
