//! At 04:00 UTC: a snapshot of each board, and what moved on those of the week (§6).

use std::sync::Arc;

use kit::daily::Daily;
use kit::feed::Writer;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use time::{OffsetDateTime, Time};
use uuid::Uuid;

use crate::SCHEMA;
use crate::boards::{Boards, Card, Votable};
use crate::domain::moves::{Move, moves};
use crate::domain::rankings::{BoardKind, Hour, Window};
use crate::feeds::vote_feed;
use crate::index::{Catalogue, Creator, Game};
use crate::store::snapshots;
use crate::write::{Announce, Command, CommandHandler, NamedMove};

/// The daily job that takes a snapshot of each board.
#[derive(Debug, Clone)]
pub struct Job {
    /// The schema.
    pub pool: PgPool,
    /// Says which listings are public.
    pub catalogue: Arc<Catalogue>,
    /// Of this replica.
    pub boards: Arc<Boards>,
    /// Where the snapshot is announced.
    pub writer: Writer<CommandHandler>,
    /// A move is published if the rank before or after it is this or better.
    pub lowest: u32,
}

/// Starts the job, at this hour of UTC.
pub(crate) fn spawn(
    lifecycle: &Lifecycle,
    clock: &Clock,
    job: Job,
    hour: u8,
) -> anyhow::Result<()> {
    let at = Time::from_hms(hour, 0, 0)?;
    let daily = Daily::new(
        job.pool.clone(),
        SCHEMA,
        "board snapshot",
        at,
        clock.clone(),
    );
    daily.spawn(lifecycle, move |due| {
        let job = job.clone();
        async move { job.take(due).await }
    });
    Ok(())
}

impl Job {
    /// Takes the snapshot of `due`, as the boards stood then, whenever it is taken. Taken again, it stays as it is.
    ///
    /// # Errors
    /// PostgreSQL's, or the catalogue is not loaded yet.
    pub async fn take(&self, due: OffsetDateTime) -> anyhow::Result<()> {
        // Without listings the boards would be empty.
        self.catalogue.snapshot()?;
        vote_feed::catch_up(&self.pool, &self.boards).await?;
        let mut moves = Vec::new();
        for kind in BoardKind::ALL {
            for window in Window::ALL {
                let order = self.store(due, (kind, window)).await?;
                if window == Window::Week {
                    moves.extend(self.moves(due, kind, &order).await?);
                }
            }
        }
        let announce = Announce {
            taken_for: due,
            moves,
        };
        self.writer.write(Command::Snapshot(announce)).await?;
        Ok(())
    }

    /// The order of a board at `due`, stored now or before.
    async fn store(
        &self,
        due: OffsetDateTime,
        (kind, window): (BoardKind, Window),
    ) -> anyhow::Result<Vec<Uuid>> {
        if let Some(order) = snapshots::board(&self.pool, due, (kind, window)).await? {
            return Ok(order);
        }
        let boards = Arc::clone(&self.boards);
        let standing = move || boards.ranking_at(kind, window, Hour::of(due));
        let order = tokio::task::spawn_blocking(standing).await?;
        snapshots::save_board(&self.pool, due, (kind, window), &order).await?;
        // Another replica may have been first.
        let stored = snapshots::board(&self.pool, due, (kind, window)).await?;
        Ok(stored.unwrap_or(order))
    }

    /// What moved on a board of the week, of listings that are public now.
    async fn moves(
        &self,
        due: OffsetDateTime,
        kind: BoardKind,
        after: &[Uuid],
    ) -> anyhow::Result<Vec<NamedMove>> {
        let before = match snapshots::before(&self.pool, due).await? {
            Some(before) => snapshots::board(&self.pool, before, (kind, Window::Week)).await?,
            None => None,
        };
        let moved = moves(&before.unwrap_or_default(), after, self.lowest);
        let named = moved.into_iter().filter_map(|moved| {
            let named = match kind {
                BoardKind::Games => named::<Game>(moved, self.boards.game(moved.listing)),
                BoardKind::Creators => named::<Creator>(moved, self.boards.creator(moved.listing)),
            };
            named.transpose()
        });
        named.collect()
    }
}

fn named<L: Votable>(
    moved: Move,
    listing: Option<(Arc<L>, u32)>,
) -> anyhow::Result<Option<NamedMove>> {
    let Some((row, _)) = listing else {
        return Ok(None);
    };
    let card: Card = row.card()?;
    Ok(Some(NamedMove {
        moved,
        entity: L::ENTITY,
        card,
    }))
}
