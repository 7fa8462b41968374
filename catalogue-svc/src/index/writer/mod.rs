//! The one writer: applies what the feed carries and keeps the snapshot that is published next.

mod bulk;
mod cities;
mod events;
mod games;
mod pages;

use std::collections::BTreeMap;
use std::sync::Arc;

use kit::feed::Position;
use uuid::Uuid;

use self::cities::Cities;
use self::games::GameState;
use self::pages::PageEntry;
use super::document::Document;
use super::events::Event;
use super::list::Index;
use super::snapshot::{Dataset, Snapshot};
use crate::index::entity::Entity;
use kit::Mode;

/// The next snapshot, and the state of every listing that is or may become part of it.
#[derive(Debug)]
pub struct IndexWriter {
    snapshot: Snapshot,
    pages: BTreeMap<Uuid, PageEntry>,
    games: BTreeMap<Uuid, GameState>,
    /// Public ones.
    events: BTreeMap<Uuid, Listed<Event>>,
    cities: Cities,
}

/// A row of an index, and the mode of the index.
pub(super) type Listed<L> = (Mode, Arc<L>);

impl IndexWriter {
    pub fn new(position: Position) -> Self {
        Self {
            snapshot: Snapshot::new(position),
            pages: BTreeMap::new(),
            games: BTreeMap::new(),
            events: BTreeMap::new(),
            cities: Cities::default(),
        }
    }

    /// The snapshot as it was when the writer last flushed. Cheap: it shares its parts with the writer's.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot.clone()
    }

    /// Applies one change. It cannot fail: [`Entity::read`] has done everything that can.
    pub fn apply(&mut self, entity: Entity) {
        match entity {
            Entity::Page(id, page) => {
                let changes_games = self.apply_page(id, page);
                if changes_games {
                    self.update_games_of(id);
                }
            }
            Entity::Game(id, game) => self.apply_game(id, game),
            Entity::Event(id, event) => self.apply_event(id, event),
        }
    }

    /// Called after all changes up to `seq` were applied: counts the cities that they touched again.
    pub fn flush(&mut self, seq: i64) -> anyhow::Result<()> {
        self.snapshot.position.seq = seq;
        self.cities.recount(&mut self.snapshot)?;
        for mode in [Mode::Live, Mode::Test] {
            self.snapshot.dataset_mut(mode).flush()?;
        }
        Ok(())
    }

    /// Replaces a row of an index by another. Either may be absent, and their modes may differ.
    fn replace<L: Document>(
        &mut self,
        index: impl Fn(&mut Dataset) -> &mut Index<L>,
        old: Option<Listed<L>>,
        new: Option<Listed<L>>,
    ) {
        match (old, new) {
            (Some((was, old)), Some((is, new))) if was == is => {
                index(self.snapshot.dataset_mut(is)).update(&old, new);
            }
            (old, new) => {
                if let Some((mode, old)) = old {
                    index(self.snapshot.dataset_mut(mode)).remove(&old);
                }
                if let Some((mode, new)) = new {
                    index(self.snapshot.dataset_mut(mode)).insert(new);
                }
            }
        }
    }
}
