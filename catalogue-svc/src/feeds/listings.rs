//! The follower that each replica has: it follows the feed of listings-svc into memory.
//!
//! A replica that starts has nothing, and reads the feed from its beginning: compaction keeps the last state of every entity. It gathers the
//! entities until it has reached the head at which the stream began, then indexes and publishes them. From then on every batch becomes a new
//! snapshot that readers see at once. Under a new epoch (the database of listings-svc was restored, or a replica promoted) it gathers the entities
//! in the same way, and readers see the old snapshot until the new one is complete.
//!
//! `/readyz` waits for the condition "the catalogue to be loaded", which is met when the first snapshot is published. Until then calls return
//! `unavailable`. A replica that has a snapshot needs nobody: it answers from memory while listings-svc and PostgreSQL are unavailable.
//!
//! **A change that does not convert** (it does not decode, or a required time, day or reference is
//! missing) does not stop the follower. Every replica logs and counts the change as the kit's
//! followers do (`feed_changes_refused_total`), and continues with the last good state of that
//! entity. A replica that starts has no earlier state, and leaves the entity out. Entities of
//! unknown kinds are skipped. A change that hides a listing needs only its id and a message that
//! decodes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1::Change;
use kit::admin::Condition;
use kit::feed::{Consumer, Cursor, Position, Rebuild, consume, record_refused_change};
use kit::rpc::client::Client;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use uuid::Uuid;

use crate::index::entity::Entity;
use crate::index::{Catalogue, IndexWriter};

#[derive(Debug)]
pub struct Follower {
    catalogue: Arc<Catalogue>,
    /// The base URL of the public pages.
    site: Arc<str>,
    progress: Progress,
    /// `None` until the first batch, and after a failure: the entities may lack a part of a batch.
    applied: Option<Cursor>,
}

#[derive(Debug)]
enum Progress {
    /// It has no entity yet.
    Nothing,
    /// It gathers the state of all entities, and indexes them when they are complete. Until then the catalogue keeps its last snapshot.
    Gathering {
        /// The change at which the entities are complete.
        whole_at: i64,
        entities: Box<IndexWriter>,
    },
    /// It publishes a snapshot after every batch.
    Following(Box<IndexWriter>),
}

impl Follower {
    /// A follower that has read nothing yet.
    pub fn new(catalogue: Arc<Catalogue>, site: &str) -> Self {
        Self { catalogue, site: site.into(), progress: Progress::Nothing, applied: None }
    }

    /// Follows the feed of `client` for ever. `loaded` is met at the head of the feed.
    pub async fn follow(self, client: Client, loaded: Condition) -> anyhow::Result<()> {
        consume(client, "memory", self, Some(loaded)).await
    }

    /// Indexes and publishes the gathered entities if they are complete.
    async fn index_if_whole(&mut self, position: Position) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.progress, Progress::Nothing) {
            Progress::Gathering { whole_at, entities } if position.seq >= whole_at => {
                self.index(position, *entities).await
            }
            other => {
                self.progress = other;
                Ok(())
            }
        }
    }

    /// Indexes and publishes entities.
    async fn index(&mut self, position: Position, entities: IndexWriter) -> anyhow::Result<()> {
        let catalogue = Arc::clone(&self.catalogue);
        // It uses all processors, and frees the last snapshot.
        let index = move || {
            let writer = entities.index_all(position)?;
            catalogue.publish(writer.snapshot());
            anyhow::Ok(writer)
        };
        let writer = tokio::task::spawn_blocking(index).await??;
        self.progress = Progress::Following(Box::new(writer));
        Ok(())
    }
}

/// Converts the entity of a change. Returns `None` for a one-off event, an unknown kind, and a change that cannot be converted: the catalogue then
/// keeps the last state of the entity.
fn convert(change: &Change, site: &str) -> Option<Entity> {
    if change.happening {
        return None;
    }
    let read = Entity::read(&change.entity, &change.id, &change.state, site);
    read.unwrap_or_else(|error| {
        record_refused_change(crate::PRODUCER, change, &format!("{error:#}"));
        None
    })
}

impl Consumer for Follower {
    /// No pause: readers wait for changes.
    const PAUSE: Duration = Duration::ZERO;

    fn producer(&self) -> &'static str {
        crate::PRODUCER
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        Ok(self.applied)
    }

    async fn begin_rebuild(&mut self, rebuild: Rebuild) -> anyhow::Result<()> {
        let Rebuild { epoch, head, .. } = rebuild;
        tracing::info!(%epoch, head, "the catalogue is built anew from the feed");
        self.catalogue.begin_rebuild();
        let start = Cursor::start(epoch);
        self.applied = None;
        self.progress = Progress::Gathering {
            whole_at: head,
            entities: Box::new(IndexWriter::new(start.position)),
        };
        self.index_if_whole(start.position).await?;
        self.applied = Some(start);
        Ok(())
    }

    async fn handle_batch(&mut self, epoch: Uuid, changes: Vec<Change>) -> anyhow::Result<()> {
        self.applied = None;
        let last = changes.last().and_then(|change| Cursor::after(epoch, change));
        let applied = last.context("the last change has no time")?;
        let seq = applied.position.seq;
        let (site, catalogue) = (Arc::clone(&self.site), Arc::clone(&self.catalogue));
        let progress = std::mem::replace(&mut self.progress, Progress::Nothing);
        // On a blocking thread, because a change of a page changes thousands of games, and many new words are indexed at once.
        let apply = move || {
            let convert = |change: Change| convert(&change, &site);
            let converted: Vec<Entity> = match progress {
                // All processors convert: there may be a million listings.
                Progress::Gathering { .. } => changes.into_par_iter().filter_map(convert).collect(),
                Progress::Nothing | Progress::Following(_) => {
                    changes.into_iter().filter_map(convert).collect()
                }
            };
            match progress {
                Progress::Nothing => anyhow::bail!("changes came before a start"),
                Progress::Gathering { whole_at, mut entities } => {
                    for entity in converted {
                        entities.store(entity);
                    }
                    Ok(Progress::Gathering { whole_at, entities })
                }
                Progress::Following(mut writer) => {
                    for entity in converted {
                        writer.apply(entity);
                    }
                    writer.flush(seq)?;
                    catalogue.publish(writer.snapshot());
                    Ok(Progress::Following(writer))
                }
            }
        };
        self.progress = tokio::task::spawn_blocking(apply).await??;
        self.index_if_whole(applied.position).await?;
        self.applied = Some(applied);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contracts::listings::v1 as listings;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use prost::Message as _;

    use super::*;

    #[test]
    fn a_change_that_does_not_convert_is_counted_as_every_follower_counts_it() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let game = listings::Game { mode: 99, visible: true, ..listings::Game::default() };
        let change = Change {
            entity: "game".to_owned(),
            id: Uuid::from_u128(1).to_string(),
            state: game.encode_to_vec().into(),
            ..Change::default()
        };
        assert!(convert(&change, "https://mchezo.example").is_none());
        // Neither an unknown kind nor a one-off event is refused.
        let unknown = Change { entity: "of_a_later_version".to_owned(), ..change.clone() };
        let happening = Change { happening: true, ..change };
        for change in [unknown, happening] {
            assert!(convert(&change, "https://mchezo.example").is_none());
        }
        let refused = "feed_changes_refused_total{producer=\"listings\"} 1";
        let metrics = recorder.handle().render();
        assert!(metrics.contains(refused), "{metrics}");
    }
}
