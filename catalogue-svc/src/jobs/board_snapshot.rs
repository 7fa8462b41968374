//! Takes a snapshot of each board at 04:00 UTC, and publishes the moves on the boards of the week (§6).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kit::feed::Producer;
use kit::jobs::Leader;
use sqlx::PgPool;
use time::{OffsetDateTime, Time};
use uuid::Uuid;

use crate::boards::{DatasetBoards, Votable, VoteCounts};
use crate::domain::moves::moves;
use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::domain::tally::Tallies;
use crate::index::{Catalogue, Dataset};
use crate::store::board_snapshots;
use crate::write::{self, NamedMove};
use kit::Mode;

/// The daily job that takes a snapshot of each board.
#[derive(Debug, Clone)]
pub struct Job {
    pub pool: PgPool,
    pub catalogue: Arc<Catalogue>,
    pub producer: Producer,
    /// A move is published if the rank before or after it is this or better.
    pub lowest: u32,
}

/// Adds the job to those of the leader, at this hour of UTC.
pub(crate) fn spawn(leader: &Leader, job: Job, hour: u8) -> anyhow::Result<()> {
    let at = Time::from_hms(hour, 0, 0)?;
    leader.spawn_daily("board snapshot", at, move |due| {
        let job = job.clone();
        async move { job.take(due).await }
    });
    Ok(())
}

impl Job {
    /// Takes the snapshot of the boards as they stood at `due`, also if that is long ago. A snapshot that was taken before does not change.
    ///
    /// # Errors
    /// PostgreSQL's, or the catalogue is not loaded yet.
    pub async fn take(&self, due: OffsetDateTime) -> anyhow::Result<()> {
        // Without listings the boards would be empty.
        let snapshot = self.catalogue.snapshot()?;
        let empty = Tallies::at_start_of(Hour::containing(due));
        let (_, votes) = VoteCounts::load(&self.pool, empty).await?;
        let sorted = Arc::clone(&snapshot);
        let sort = move || {
            let live = sorted.dataset(Mode::Live);
            DatasetBoards::sort(votes, sorted.position, live)
        };
        let boards = tokio::task::spawn_blocking(sort).await?;
        let live = snapshot.dataset(Mode::Live);
        let mut moves = Vec::new();
        for kind in BoardKind::ALL {
            moves.extend(self.take_kind(due, kind, &boards, live).await?);
        }
        write::announce(&self.producer, due, &moves).await?;
        Ok(())
    }

    /// Stores the boards of a kind; returns the moves on the board of the week, of listings that are public now.
    async fn take_kind(
        &self,
        due: OffsetDateTime,
        kind: BoardKind,
        boards: &DatasetBoards,
        listings: &Dataset,
    ) -> anyhow::Result<Vec<NamedMove>> {
        let save = async |window| {
            let order = boards.board(kind, window).order();
            board_snapshots::save_board(&self.pool, due, kind, window, &order).await
        };
        for window in [Window::Month, Window::All] {
            save(window).await?;
        }
        let week = Window::Week;
        let after = save(week).await?;
        let before = match board_snapshots::before(&self.pool, due).await? {
            Some(before) => board_snapshots::board(&self.pool, before, kind, week).await?,
            None => None,
        };
        let moved = moves(&before.unwrap_or_default(), &after, self.lowest);
        let ids: HashSet<Uuid> = moved.iter().map(|moved| moved.listing).collect();
        let rows: HashMap<Uuid, Votable<'_>> = listings
            .votables(kind)
            .filter(|row| ids.contains(&row.id()))
            .map(|row| (row.id(), row))
            .collect();
        let named = moved.into_iter().filter_map(|moved| {
            let row = rows.get(&moved.listing)?;
            Some(row.card().map(|card| NamedMove { moved, entity: kind.entity(), card }))
        });
        named.collect()
    }
}
