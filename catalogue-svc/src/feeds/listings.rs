//! The follower that each replica has: loads the schema into memory, then follows the feed.
//!
//! The feed is followed in two ways:
//!
//! - **Into memory** ([`Follower`]). Each replica does this for itself. It starts from the rows of the schema, which it reads together with
//!   their cursor in one snapshot; it starts from the beginning of the feed if the schema is empty. Every batch becomes a new snapshot that
//!   readers see at once. Under a new epoch (its database was restored, or a replica promoted) the replica gathers the state of all entities from the beginning of
//!   the feed, indexes them when they are complete, and replaces the old snapshot.
//! - **Into the schema** ([`super::persist`]). The leader does this. Changes and cursor are written in one transaction. Only starts read the
//!   schema, and therefore it may lag.
//!
//! The gRPC port opens when the schema has been read. `/readyz` waits for the condition "the catalogue to be loaded". With a complete schema
//! the condition is met at once, whether listings-svc answers or not. With an empty schema it is met when the replica has followed the feed to
//! the head of that moment. Until then calls return `unavailable`.
//!
//! **A change that does not convert** (it does not decode, or a required time, day or reference is missing) does not stop the follower. Every
//! replica logs the change with kind, id and seq, counts it in `catalogue_changes_rejected_total`, and continues with the last good state of
//! that entity; so does the schema. After a release that can convert it, the cursor of the schema is reset ("Epochs" in the kit's README).
//! Entities of unknown kinds are stored like the others and not shown.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1::Change;
use futures::stream::TryChunksError;
use futures::{StreamExt as _, TryStreamExt as _};
use kit::admin::Condition;
use kit::feed::{Consumer, Position, Rebuild, consume};
use kit::rpc::client::Client;
use sqlx::PgPool;
use uuid::Uuid;

use crate::boards::Boards;
use crate::index::entity::Entity;
use crate::index::{Catalogue, IndexWriter};
use crate::store::{entity, load};

/// Changes that are applied before the task yields to others of the runtime.
const YIELD_AFTER: usize = 32;
/// Rows that one task converts.
const ROWS: usize = 4_096;

/// Follows the feed into a [`Catalogue`] and its [`Boards`].
#[derive(Debug)]
pub struct Follower {
    catalogue: Arc<Catalogue>,
    boards: Arc<Boards>,
    chunk_rows: u16,
    progress: Progress,
}

/// The state of a follower.
#[derive(Debug)]
enum Progress {
    /// It has no entity yet.
    Nothing,
    /// It gathers the state of all entities, and indexes them when they are complete. Until then the catalogue keeps its last snapshot.
    Gathering {
        position: Position,
        /// The change at which the entities are complete.
        whole_at: i64,
        /// By kind and id.
        entities: HashMap<(&'static str, String), Entity>,
    },
    /// It publishes a snapshot after every batch.
    Following(Box<IndexWriter>),
}

impl Follower {
    /// Loads one snapshot of the schema into `catalogue` and `boards`, and returns the follower that continues from there.
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
        };
        let read = async {
            match read(pool).await? {
                Some(loaded) => follower.begin(loaded).await,
                None => Ok(()),
            }
        };
        read.await
            .context("the catalogue cannot be loaded from its schema")?;
        Ok(follower)
    }

    /// Follows the feed of `client` for ever. If the schema was complete, `loaded` is met at once, since calls can be answered without
    /// listings-svc. Otherwise it is met at the head of the feed.
    pub async fn follow(self, client: Client, loaded: Condition) -> anyhow::Result<()> {
        if matches!(self.progress, Progress::Following(_)) {
            loaded.set(true);
        }
        consume(client, "memory", self, Some(loaded)).await
    }

    /// Begins with the entities of the schema.
    async fn begin(&mut self, loaded: Loaded) -> anyhow::Result<()> {
        let position = loaded.cursor.position;
        match loaded.cursor.rebuilding_to {
            Some(whole_at) if position.seq < whole_at => {
                let entities = loaded.entities.into_iter();
                self.progress = Progress::Gathering {
                    position,
                    whole_at,
                    entities: entities.map(|entity| (entity.key(), entity)).collect(),
                };
                Ok(())
            }
            Some(_) | None => self.index(position, loaded.entities).await,
        }
    }

    /// Indexes and publishes the gathered entities if they are complete.
    async fn index_if_whole(&mut self) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.progress, Progress::Nothing) {
            Progress::Gathering {
                position,
                whole_at,
                entities,
            } if position.seq >= whole_at => {
                self.index(position, entities.into_values().collect()).await
            }
            other => {
                self.progress = other;
                Ok(())
            }
        }
    }

    /// Indexes entities, each of which must come once, and publishes them.
    async fn index(&mut self, position: Position, entities: Vec<Entity>) -> anyhow::Result<()> {
        let chunk_rows = self.chunk_rows;
        // It uses all processors.
        let build = move || IndexWriter::build(position, chunk_rows, entities);
        let writer = tokio::task::spawn_blocking(build).await??;
        self.boards.publish(writer.snapshot()).await?;
        self.progress = Progress::Following(Box::new(writer));
        Ok(())
    }
}

/// The entities of the schema, and their cursor.
struct Loaded {
    cursor: load::Cursor,
    entities: Vec<Entity>,
}

/// Reads the rows and their cursor in the feed in one snapshot of the database.
///
/// While the schema itself is rebuilt, only the rows of the rebuild are read, which are not complete yet.
async fn read(pool: &PgPool) -> anyhow::Result<Option<Loaded>> {
    let mut transaction = load::begin(pool).await?;
    let Some(cursor) = load::cursor(&mut transaction).await? else {
        return Ok(None);
    };
    let rows = entity::rows(&mut transaction, cursor.generation).try_chunks(ROWS);
    // The next rows are read while all processors convert the last ones.
    let converted = rows.map(async |rows| {
        let rows = rows.map_err(|TryChunksError(_, error)| error)?;
        let converted = tokio::task::spawn_blocking(move || convert_rows(&rows));
        Ok::<_, anyhow::Error>(converted.await?)
    });
    let at_once = thread::available_parallelism().map_or(1, NonZero::get) + 1;
    let entities: Vec<Vec<Entity>> = converted.buffered(at_once).try_collect().await?;
    transaction.commit().await?;
    Ok(Some(Loaded {
        cursor,
        entities: entities.into_iter().flatten().collect(),
    }))
}

/// The entities of those rows that can be converted.
fn convert_rows(rows: &[entity::Row]) -> Vec<Entity> {
    let rows = rows.iter();
    rows.filter_map(|row| convert(&row.kind, &row.id, row.seq, &row.body))
        .collect()
}

/// Converts an entity. `None`: its kind is unknown, or it cannot be converted; the catalogue then keeps its last state.
fn convert(kind: &str, id: &str, seq: i64, encoded: &[u8]) -> Option<Entity> {
    let read = Entity::read(kind, id, seq, encoded);
    let mut entity = read.unwrap_or_else(|error| {
        metrics::counter!("catalogue_changes_rejected_total").increment(1);
        tracing::error!(
            kind,
            id,
            seq,
            reason = format!("{error:#}"),
            "a change cannot be converted, and the catalogue goes on without it"
        );
        None
    });
    if let Some(entity) = &mut entity {
        entity.store_texts();
    }
    entity
}

impl Consumer for Follower {
    /// No pause: readers wait for changes.
    const PAUSE: Duration = Duration::ZERO;

    fn producer(&self) -> &'static str {
        crate::PRODUCER
    }

    async fn position(&mut self) -> anyhow::Result<Option<Position>> {
        Ok(match &self.progress {
            Progress::Nothing => None,
            Progress::Gathering { position, .. } => Some(*position),
            Progress::Following(writer) => Some(writer.position()),
        })
    }

    async fn begin_rebuild(&mut self, rebuild: Rebuild) -> anyhow::Result<()> {
        let Rebuild { epoch, head, .. } = rebuild;
        tracing::info!(%epoch, head, "the catalogue is built anew from the feed");
        self.catalogue.begin_rebuild();
        self.progress = Progress::Gathering {
            position: Position { epoch, seq: 0 },
            whole_at: head,
            entities: HashMap::new(),
        };
        self.index_if_whole().await
    }

    async fn handle_batch(&mut self, _epoch: Uuid, changes: Vec<Change>) -> anyhow::Result<()> {
        let seq = changes.last().map_or(0, |change| change.seq);
        let states = changes.iter().filter(|change| !change.happening);
        let converted = states.filter_map(|c| convert(&c.entity, &c.id, c.seq, &c.state));
        match &mut self.progress {
            Progress::Nothing => anyhow::bail!("changes came before a start"),
            Progress::Gathering {
                position, entities, ..
            } => {
                entities.extend(converted.map(|entity| (entity.key(), entity)));
                position.seq = seq;
                self.index_if_whole().await
            }
            Progress::Following(writer) => {
                let converted: Vec<Entity> = converted.collect();
                for (at, entity) in converted.into_iter().enumerate() {
                    writer.apply(entity);
                    if at % YIELD_AFTER == YIELD_AFTER - 1 {
                        tokio::task::yield_now().await;
                    }
                }
                writer.flush(seq)?;
                self.catalogue.publish(writer.snapshot());
                Ok(())
            }
        }
    }
}
