//! Every replica's own follower: from the schema, and then the feed, into memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1::Change;
use kit::admin::Condition;
use kit::feed::{Consumer, Cursor, Fingerprint, Position, consume};
use kit::rpc::client::Client;
use sqlx::PgPool;
use uuid::Uuid;

use crate::boards::Boards;
use crate::index::entity::Entity;
use crate::index::{Catalogue, Writer};
use crate::store;

/// Changes that are applied in one go, before other tasks of the runtime have their turn.
const TURN: usize = 32;
/// Rows that are converted in one go.
const ROWS: usize = 4_096;

/// Follows the feed into a [`Catalogue`] and its [`Boards`]. It is not registered: what compaction removes, a newer row replaces.
#[derive(Debug)]
pub struct Follower {
    catalogue: Arc<Catalogue>,
    boards: Arc<Boards>,
    chunk_rows: u16,
    progress: Progress,
    /// Identifies the newest change that it has.
    last_row: Option<Fingerprint>,
}

/// How far it has come.
#[derive(Debug)]
enum Progress {
    /// It starts from nothing.
    Nothing,
    /// It gathers the state of everything, which is indexed at once when it is whole. Until then the catalogue keeps what it had.
    Gathering {
        position: Position,
        /// The change at which it is whole.
        whole_at: i64,
        /// By kind and id.
        entities: HashMap<(String, String), Entity>,
    },
    /// Every batch becomes a snapshot.
    Following(Box<Writer>),
}

impl Follower {
    /// Loads what the schema holds, of one moment, into `catalogue` and `boards`, and goes on from there.
    pub async fn load(
        pool: &PgPool,
        catalogue: Arc<Catalogue>,
        boards: Arc<Boards>,
        chunk_rows: u16,
    ) -> anyhow::Result<Self> {
        let mut follower = Self {
            catalogue,
            boards,
            chunk_rows,
            progress: Progress::Nothing,
            last_row: None,
        };
        let read = async {
            store::retry_dead_letters(pool).await?;
            if let Some((progress, last_row)) = read(pool).await? {
                (follower.progress, follower.last_row) = (progress, last_row);
            }
            follower.index_if_whole().await
        };
        read.await
            .context("the catalogue cannot be loaded from its schema")?;
        Ok(follower)
    }

    /// Follows the feed behind `client` for ever. `loaded` is met at once when the schema was whole: then calls can be answered from
    /// it, whether listings-svc is there or not. Else it is met at the head of the feed.
    pub async fn follow(self, client: Client, loaded: Condition) -> anyhow::Result<()> {
        if matches!(self.progress, Progress::Following(_)) {
            loaded.set(true);
        }
        consume(client, "", self, Some(loaded)).await
    }

    /// Indexes what was gathered, when it is whole, and publishes it.
    async fn index_if_whole(&mut self) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.progress, Progress::Nothing) {
            Progress::Gathering {
                position,
                whole_at,
                entities,
            } if position.seq >= whole_at => {
                let chunk_rows = self.chunk_rows;
                let entities = entities.into_values().collect();
                // It takes all processors for as long as it takes.
                let build = move || Writer::build(position, chunk_rows, entities);
                let writer = tokio::task::spawn_blocking(build).await??;
                let snapshot = writer.snapshot();
                // Boards first: a read that waited for a listing must not meet an older board.
                self.boards.relist(&snapshot);
                self.catalogue.publish(snapshot);
                self.progress = Progress::Following(Box::new(writer));
            }
            other => self.progress = other,
        }
        Ok(())
    }
}

/// Reads the rows and the place in the feed that they are of, in one snapshot.
///
/// While the schema itself is rebuilt, only the rows of that rebuild count, and they are not whole yet.
async fn read(pool: &PgPool) -> anyhow::Result<Option<(Progress, Option<Fingerprint>)>> {
    let mut transaction = pool
        .begin_with("begin isolation level repeatable read, read only")
        .await?;
    let Some(cursor) = store::cursor(&mut transaction).await? else {
        return Ok(None);
    };
    let mut entities = HashMap::new();
    let mut converting = None;
    let rows = store::rows(&mut transaction, cursor.generation);
    let mut rows = futures::StreamExt::chunks(rows, ROWS);
    // The next rows are read while those before are converted.
    while let Some(rows) = futures::StreamExt::next(&mut rows).await {
        let rows: Vec<store::Row> = rows.into_iter().collect::<Result<_, _>>()?;
        let next = tokio::task::spawn_blocking(move || convert_rows(&rows));
        if let Some(converted) = converting.replace(next) {
            entities.extend(converted.await?);
        }
    }
    if let Some(converted) = converting {
        entities.extend(converted.await?);
    }
    drop(rows);
    transaction.commit().await?;
    let progress = Progress::Gathering {
        position: cursor.position,
        whole_at: cursor.rebuilding_to.unwrap_or(cursor.position.seq),
        entities,
    };
    Ok(Some((progress, cursor.last_row)))
}

/// The rows that convert. An older version may have been able to convert others.
fn convert_rows(rows: &[store::Row]) -> Vec<((String, String), Entity)> {
    let rows = rows.iter().filter_map(|row| {
        let entity = convert(&row.kind, &row.id, row.seq, &row.body)?;
        Some(((row.kind.clone(), row.id.clone()), entity))
    });
    rows.collect()
}

/// The entity; `None` when its kind is unknown or it cannot be converted. Its last state stays then.
fn convert(kind: &str, id: &str, seq: i64, encoded: &[u8]) -> Option<Entity> {
    Entity::read(kind, id, seq, encoded).unwrap_or_else(|error| {
        metrics::counter!("catalogue_changes_rejected_total").increment(1);
        tracing::error!(
            kind,
            id,
            seq,
            reason = format!("{error:#}"),
            "a change cannot be converted, and the catalogue goes on without it"
        );
        None
    })
}

impl Consumer for Follower {
    /// Readers wait for it.
    const PAUSE: Duration = Duration::ZERO;

    fn producer(&self) -> &'static str {
        crate::PRODUCER
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        let position = match &self.progress {
            Progress::Nothing => None,
            Progress::Gathering { position, .. } => Some(*position),
            Progress::Following(writer) => Some(writer.position()),
        };
        Ok(position.map(|position| Cursor {
            position,
            last_row: self.last_row,
        }))
    }

    async fn start(&mut self, epoch: Uuid, head: i64, reset: bool) -> anyhow::Result<()> {
        if reset {
            tracing::info!(%epoch, head, "the catalogue is built anew from the feed");
            self.progress = Progress::Gathering {
                position: Position { epoch, seq: 0 },
                whole_at: head,
                entities: HashMap::new(),
            };
            self.last_row = None;
            return self.index_if_whole().await;
        }
        match &mut self.progress {
            Progress::Gathering {
                position, whole_at, ..
            } if position.epoch != epoch => {
                position.epoch = epoch;
                // The new epoch may be shorter than the one before.
                *whole_at = head.min(*whole_at);
                self.index_if_whole().await?;
            }
            Progress::Following(writer) if writer.position().epoch != epoch => {
                tracing::info!(%epoch, "the feed goes on under a new epoch, and the catalogue with it");
                writer.set_epoch(epoch);
                self.catalogue.publish(writer.snapshot());
            }
            Progress::Nothing | Progress::Gathering { .. } | Progress::Following(_) => {}
        }
        Ok(())
    }

    async fn apply(&mut self, _epoch: Uuid, changes: Vec<Change>) -> anyhow::Result<()> {
        let seq = changes.last().map_or(0, |change| change.seq);
        let last_row = changes.last().map(Fingerprint::of);
        let states = changes.iter().filter(|change| !change.happening);
        let converted =
            states.filter_map(|c| Some((c, convert(&c.entity, &c.id, c.seq, &c.state)?)));
        match &mut self.progress {
            Progress::Nothing => anyhow::bail!("changes came before a start"),
            Progress::Gathering {
                position, entities, ..
            } => {
                for (change, entity) in converted {
                    entities.insert((change.entity.clone(), change.id.clone()), entity);
                }
                position.seq = seq;
                self.last_row = last_row;
                self.index_if_whole().await
            }
            Progress::Following(writer) => {
                let converted: Vec<Entity> = converted.map(|(_, entity)| entity).collect();
                for (at, entity) in converted.into_iter().enumerate() {
                    writer.apply(entity);
                    if at % TURN == TURN - 1 {
                        tokio::task::yield_now().await;
                    }
                }
                writer.flush(seq)?;
                self.last_row = last_row;
                let snapshot = writer.snapshot();
                self.boards.replace(writer.take_relisted(), &snapshot);
                self.catalogue.publish(snapshot);
                Ok(())
            }
        }
    }
}
