//! Every replica's own follower: from the schema, and then the feed, into memory.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1::Change;
use futures::TryStreamExt as _;
use kit::feed::{Consumer, Cursor, Fingerprint, Position};
use sqlx::PgPool;
use uuid::Uuid;

use super::entity::Entity;
use crate::index::{Catalogue, Writer};
use crate::store;

/// Changes that are applied in one go, before other tasks of the runtime have their turn.
const TURN: usize = 32;

/// Follows the feed into a [`Catalogue`]. It is not registered: what compaction removes, a newer row replaces.
#[derive(Debug)]
pub struct Follower {
    catalogue: Arc<Catalogue>,
    chunk_rows: u16,
    /// `None`: it starts from nothing.
    building: Option<Building>,
}

#[derive(Debug)]
struct Building {
    writer: Writer,
    last_row: Option<Fingerprint>,
    /// It is rebuilt aside, and whole at this change. Until then the catalogue keeps what it had.
    whole_at: Option<i64>,
}

impl Follower {
    /// Loads what the schema holds, of one moment, into `catalogue`, and goes on from there.
    pub async fn load(
        pool: &PgPool,
        catalogue: Arc<Catalogue>,
        chunk_rows: u16,
    ) -> anyhow::Result<Self> {
        let building = read(pool, chunk_rows)
            .await
            .context("the catalogue cannot be loaded from its schema")?;
        let follower = Self {
            catalogue,
            chunk_rows,
            building,
        };
        follower.publish_if_whole();
        Ok(follower)
    }

    fn publish_if_whole(&self) {
        if let Some(Building {
            writer,
            whole_at: None,
            ..
        }) = &self.building
        {
            self.catalogue.publish(writer.snapshot());
        }
    }
}

/// Reads the rows and the place in the feed that they are of, in one snapshot.
///
/// While the schema itself is rebuilt, only the rows of that rebuild count, and they are not whole yet.
async fn read(pool: &PgPool, chunk_rows: u16) -> anyhow::Result<Option<Building>> {
    let mut transaction = pool
        .begin_with("begin isolation level repeatable read, read only")
        .await?;
    let Some(cursor) = store::cursor(&mut transaction).await? else {
        return Ok(None);
    };
    let mut writer = Writer::new(cursor.position, chunk_rows);
    for kind in store::Kind::IN_MEMORY {
        let mut rows = store::rows(&mut transaction, kind, cursor.generation);
        while let Some((id, body)) = rows.try_next().await? {
            if let Some(entity) = Entity::read(kind.as_str(), &id, body.into())? {
                writer.load(entity)?;
            }
        }
    }
    transaction.commit().await?;
    writer.list_all()?;
    Ok(Some(Building {
        writer,
        last_row: cursor.last_row,
        whole_at: cursor.rebuilding_to,
    }))
}

impl Consumer for Follower {
    /// Readers wait for it.
    const PAUSE: Duration = Duration::ZERO;

    fn producer(&self) -> &'static str {
        crate::PRODUCER
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        Ok(self.building.as_ref().map(|held| Cursor {
            position: held.writer.position(),
            last_row: held.last_row,
        }))
    }

    async fn start(&mut self, epoch: Uuid, head: i64, reset: bool) -> anyhow::Result<()> {
        if reset {
            tracing::info!(%epoch, head, "the catalogue is built anew from the feed");
            self.building = Some(Building {
                writer: Writer::new(Position { epoch, seq: 0 }, self.chunk_rows),
                last_row: None,
                whole_at: (head > 0).then_some(head),
            });
            self.publish_if_whole();
        } else if let Some(held) = &mut self.building
            && held.writer.position().epoch != epoch
        {
            tracing::info!(%epoch, "the feed goes on under a new epoch, and the catalogue with it");
            held.writer.set_epoch(epoch);
            // The new epoch may be shorter than the one before.
            let seq = held.writer.position().seq;
            held.whole_at = held
                .whole_at
                .map(|whole| whole.min(head))
                .filter(|whole| seq < *whole);
            self.publish_if_whole();
        }
        Ok(())
    }

    async fn apply(&mut self, _epoch: Uuid, changes: Vec<Change>) -> anyhow::Result<()> {
        let seq = changes.last().map_or(0, |change| change.seq);
        let last_row = changes.last().map(Fingerprint::of);
        let states = changes.iter().filter(|change| !change.happening);
        let entities: Vec<Option<Entity>> = states
            .map(|change| Entity::read(&change.entity, &change.id, change.state.clone()))
            .collect::<anyhow::Result<_>>()?;
        // Put back only when all went well: after an error it starts from nothing.
        let mut held = self.building.take().context("changes before a start")?;
        for (place, entity) in entities.into_iter().flatten().enumerate() {
            held.writer.apply(entity)?;
            if place % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
        }
        held.writer.flush(seq)?;
        held.last_row = last_row;
        held.whole_at = held.whole_at.filter(|head| seq < *head);
        self.building = Some(held);
        self.publish_if_whole();
        Ok(())
    }
}
