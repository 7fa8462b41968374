//! The one writer: applies what the feed carries and keeps the snapshot that is published next.

mod bulk;
mod changes;
mod cities;
mod events;
mod games;
mod pages;

use std::collections::BTreeMap;
use std::sync::Arc;

use kit::feed::Position;
use uuid::Uuid;

use self::cities::Cities;
use self::events::EventState;
use self::games::GameState;
use self::pages::PageEntry;
use super::document::Document;
use super::listing_index::Index;
use super::snapshot::{Dataset, Snapshot};
use crate::domain::listing::Mode;
use crate::index::entity::{Body, Entity};

/// The next snapshot, and the state of every listing that is or may become part of it.
#[derive(Debug)]
pub struct IndexWriter {
    snapshot: Snapshot,
    pages: BTreeMap<Uuid, PageEntry>,
    games: BTreeMap<Uuid, GameState>,
    events: BTreeMap<Uuid, EventState>,
    cities: Cities,
}

/// A row that is in an index: in which mode, and what it is.
pub(super) type Listed<L> = (Mode, Arc<L>);

impl IndexWriter {
    /// A writer that knows nothing yet and stands at `position`.
    pub fn new(position: Position, chunk_rows: u16) -> Self {
        Self {
            snapshot: Snapshot::new(position, chunk_rows),
            pages: BTreeMap::new(),
            games: BTreeMap::new(),
            events: BTreeMap::new(),
            cities: Cities::default(),
        }
    }

    /// How far it has come.
    pub fn position(&self) -> Position {
        self.snapshot.position
    }

    /// The feed goes on under `epoch`, in which all that was applied is history as well.
    pub fn set_epoch(&mut self, epoch: Uuid) {
        self.snapshot.position.epoch = epoch;
    }

    /// The snapshot as it was when the writer last flushed. Cheap: it shares its parts with the writer's.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot.clone()
    }

    /// Applies one change. It cannot fail: what could is done by then ([`Entity::read`]).
    pub fn apply(&mut self, entity: Entity) {
        match entity.body {
            Body::Page(header, creator) => {
                let before = self.changed_with_page(header.id);
                let changes_games = self.apply_page(header, creator);
                if changes_games {
                    self.list_games_of(header.id);
                }
                self.update_changes(before, self.changed_with_page(header.id));
            }
            Body::Game(header, game) => {
                let before = self.changed_game(header.id);
                self.apply_game(header, *game);
                self.update_changes(before, self.changed_game(header.id));
            }
            Body::Event(header, event) => {
                let before = self.changed_event(header.id);
                self.apply_event(header, event);
                self.update_changes(before, self.changed_event(header.id));
            }
            other => self.apply_place(entity.id, other),
        }
    }

    /// All changes up to `seq` have been applied: counts what they touched.
    pub fn flush(&mut self, seq: i64) -> anyhow::Result<()> {
        self.snapshot.position.seq = seq;
        self.cities.recount(&mut self.snapshot)?;
        for mode in [Mode::Live, Mode::Test] {
            self.snapshot.dataset_mut(mode).flush()?;
        }
        Ok(())
    }

    /// Puts a row in the place of another in an index; either may be missing, and they may be of two modes.
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

    /// Genres and countries. Of the gazetteer's cities nothing is shown that pages and events do not say themselves.
    fn apply_place(&mut self, id: String, body: Body) {
        match body {
            Body::Genre(genre) => {
                Arc::make_mut(&mut self.snapshot.genres.listed).insert(id, genre);
            }
            Body::Country(country) => {
                Arc::make_mut(&mut self.snapshot.countries).insert(id, country);
            }
            Body::City | Body::Event(..) | Body::Page(..) | Body::Game(..) => {}
        }
    }
}
