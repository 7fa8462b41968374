//! The one writer: takes in what the feed tells and keeps the state that is published next.

mod cities;
mod events;
mod games;
mod pages;

use std::collections::HashMap;
use std::sync::Arc;

use kit::feed::Position;
use uuid::Uuid;

use self::cities::Cities;
use self::games::Held;
use self::pages::Page;
use super::document::Document;
use super::events::Event;
use super::snapshot::Snapshot;
use crate::domain::listing::Mode;
use crate::feeds::entity::{Body, Entity};

/// The next state, and what must be remembered to keep it: every listing that has a part in it or may come to have one.
///
/// A listing is taken in by two steps: it is *held* (remembered as it is now, and taken off the shelf if it does not stay there under
/// its name) and then *listed* (put on the shelf, if it is public).
#[derive(Debug)]
pub struct Writer {
    snapshot: Snapshot,
    pages: HashMap<Uuid, Page>,
    games: HashMap<Uuid, Held>,
    /// Published ones.
    events: HashMap<Uuid, Standing<Event>>,
    cities: Cities,
}

/// A row that stands on its shelf, or will when a load is over: in which mode, and what it is.
type Standing<L> = (Mode, Arc<L>);

impl Writer {
    /// A writer that knows nothing yet and stands at `position`.
    pub fn new(position: Position, chunk_rows: u16) -> Self {
        Self {
            snapshot: Snapshot::new(position, chunk_rows),
            pages: HashMap::new(),
            games: HashMap::new(),
            events: HashMap::new(),
            cities: Cities::default(),
        }
    }

    /// How far it has come.
    pub fn position(&self) -> Position {
        self.snapshot.position
    }

    /// The feed goes on under `epoch`, in which all that was taken in is history as well.
    pub fn set_epoch(&mut self, epoch: Uuid) {
        self.snapshot.position.epoch = epoch;
    }

    /// The state as it was when the writer last settled. Cheap: it shares its parts with the writer's.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot.clone()
    }

    /// Takes one change in. After an error what it holds is in doubt.
    pub fn apply(&mut self, entity: Entity) -> anyhow::Result<()> {
        match entity.body {
            Body::Page(header, page) => {
                let shows_otherwise = self.hold_page(&header, page)?;
                self.list_page(header.id)?;
                if shows_otherwise {
                    self.list_games_of(header.id)?;
                }
                Ok(())
            }
            Body::Game(header, game) => {
                self.hold_game(&header, game)?;
                self.list_game(header.id)
            }
            Body::Event(header, event) => {
                self.hold_event(&header, event)?;
                self.list_event(header.id)
            }
            other => {
                self.file(entity.id, other);
                Ok(())
            }
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

    /// Takes in one row of a whole load; nothing is on a shelf before [`Writer::list_all`].
    pub fn load(&mut self, entity: Entity) -> anyhow::Result<()> {
        match entity.body {
            Body::Page(header, page) => self.hold_page(&header, page).map(|_| ()),
            Body::Game(header, game) => self.hold_game(&header, game),
            Body::Event(header, event) => self.hold_event(&header, event),
            other => {
                self.file(entity.id, other);
                Ok(())
            }
        }
    }

    /// Ends a load. Rows are listed in their order, which fills the chunks.
    pub fn list_all(&mut self) -> anyhow::Result<()> {
        let pages = self.pages.iter();
        let pages = pages.filter_map(|(id, page)| Some((*id, &page.creator.as_ref()?.1)));
        for id in in_order(pages) {
            self.list_page(id)?;
        }
        for id in in_order(self.games.iter().map(|(id, held)| (*id, &held.row))) {
            self.list_game(id)?;
        }
        for id in in_order(self.events.iter().map(|(id, (_, event))| (*id, event))) {
            self.list_event(id)?;
        }
        self.flush(self.snapshot.position.seq)
    }

    /// Genres and countries. Of the gazetteer's cities nothing is shown that pages and events do not say themselves.
    fn file(&mut self, id: String, body: Body) {
        match body {
            Body::Genre(genre) => {
                Arc::make_mut(&mut self.snapshot.genres.listed).insert(id, genre);
            }
            Body::Country(country) => {
                Arc::make_mut(&mut self.snapshot.countries).insert(id, country);
            }
            Body::City(_) | Body::Event(..) | Body::Page(..) | Body::Game(..) => {}
        }
    }
}

/// The ids of rows, in the order of the list.
fn in_order<'a, L: Document + 'a>(rows: impl Iterator<Item = (Uuid, &'a Arc<L>)>) -> Vec<Uuid> {
    let mut rows: Vec<(&L::Key, Uuid)> = rows.map(|(id, row)| (row.key(), id)).collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, id)| id).collect()
}

/// Where a row stands that its successor, if there is one, does not replace.
fn left_behind<'a, L: Document>(
    old: Option<&'a Standing<L>>,
    new: Option<&Standing<L>>,
) -> Option<(Mode, &'a str)> {
    let (mode, row) = old?;
    let stays = new.is_some_and(|new| new.0 == *mode && new.1.address() == row.address());
    (!stays).then_some((*mode, &**row.address()))
}
