//! The one writer: takes in what the feed tells and keeps the state that is published next.

use std::collections::HashMap;
use std::sync::Arc;

use contracts::listings::v1 as listings;
use kit::feed::Position;
use uuid::Uuid;

use super::row::{Maker, Row, moment, public_game};
use super::state::State;
use crate::domain::listing::{self, Mode};
use crate::domain::order::Key;
use crate::feeds::entity::{Body, Entity, Header};

/// The next state, and what must be remembered to keep it: every listing, public or not.
#[derive(Debug)]
pub struct Writer {
    state: State,
    pages: HashMap<Uuid, Page>,
    games: HashMap<Uuid, Game>,
}

/// What is remembered of a page. A game may be told of before its page is: then the page is unknown, and has games already.
#[derive(Debug, Default)]
struct Page {
    /// Only when it is published.
    maker: Option<Arc<Maker>>,
    /// In their order.
    games: Vec<Uuid>,
}

#[derive(Debug)]
struct Game {
    mode: Mode,
    published: bool,
    page: Uuid,
    /// Shared with the shelf when the game is public; else rendered with the maker it had last, or none.
    row: Arc<Row>,
}

impl Writer {
    /// A writer that knows nothing yet and stands at `position`.
    pub fn new(position: Position, chunk_rows: u16) -> Self {
        Self {
            state: State::new(position, chunk_rows),
            pages: HashMap::new(),
            games: HashMap::new(),
        }
    }

    /// How far it has come.
    pub fn position(&self) -> Position {
        self.state.position
    }

    /// The state as it is now. Cheap: it shares its parts with the writer's.
    pub fn state(&self) -> State {
        self.state.clone()
    }

    /// Takes one change in. After an error what it holds is in doubt.
    pub fn apply(&mut self, entity: Entity) -> anyhow::Result<()> {
        match entity.body {
            Body::Page(header, page) => self.turn_page(&header, page),
            Body::Game(header, game) => {
                self.hold(&header, game)?;
                self.relist(header.id)
            }
            other => {
                self.file(entity.id, other);
                Ok(())
            }
        }
    }

    /// All changes up to `seq` have been applied.
    pub fn settle(&mut self, seq: i64) -> anyhow::Result<()> {
        self.state.position.seq = seq;
        self.state.live.settle()?;
        self.state.test.settle()?;
        Ok(())
    }

    /// Takes in one row of a whole load; nothing is on a shelf before [`Writer::list_all`].
    pub fn load(&mut self, entity: Entity) -> anyhow::Result<()> {
        match entity.body {
            Body::Page(header, page) => {
                let maker = maker(&header, page);
                self.pages.entry(header.id).or_default().maker = maker;
                Ok(())
            }
            Body::Game(header, game) => self.hold(&header, game),
            other => {
                self.file(entity.id, other);
                Ok(())
            }
        }
    }

    /// Ends a load. Games are listed in their order, which fills the chunks.
    pub fn list_all(&mut self) -> anyhow::Result<()> {
        let keys = self.games.iter().map(|(id, game)| (&game.row.key, *id));
        let mut games: Vec<(&Key, Uuid)> = keys.collect();
        games.sort_unstable();
        let ids: Vec<Uuid> = games.into_iter().map(|(_, id)| id).collect();
        for id in ids {
            self.relist(id)?;
        }
        self.settle(self.state.position.seq)
    }

    /// Genres and countries. Cities and events are in no list yet.
    fn file(&mut self, id: String, body: Body) {
        match body {
            Body::Genre(genre) => {
                Arc::make_mut(&mut self.state.genres.listed).insert(id, genre);
            }
            Body::Country(country) => {
                Arc::make_mut(&mut self.state.countries).insert(id, country);
            }
            Body::City(_) | Body::Event(..) | Body::Page(..) | Body::Game(..) => {}
        }
    }

    /// A page changed: its games show its name and place, and are public only while it is.
    fn turn_page(&mut self, header: &Header, page: listings::Page) -> anyhow::Result<()> {
        let held = self.pages.entry(header.id).or_default();
        let maker = maker(header, page);
        if held.maker == maker {
            return Ok(());
        }
        held.maker = maker;
        let games = held.games.clone();
        games.into_iter().try_for_each(|id| self.relist(id))
    }

    /// Remembers a game, and takes it off the shelf when it stood there under another name.
    fn hold(&mut self, header: &Header, game: listings::Game) -> anyhow::Result<()> {
        let page: Uuid = game.page_id.parse()?;
        let created_at = moment(game.created_at.as_ref())?.unix_timestamp_nanos() / 1_000;
        let key = Key {
            featured: game.featured,
            created_at: i64::try_from(created_at)?,
            slug: game.slug.as_str().into(),
        };
        let under = self.pages.entry(page).or_default();
        if let Err(place) = under.games.binary_search(&header.id) {
            under.games.insert(place, header.id);
        }
        let maker = under.maker.clone().unwrap_or_default();
        let row = Arc::new(Row::render(key, &public_game(game, &maker)?, maker)?);
        let new = Game {
            mode: header.mode,
            published: header.state == listing::State::Published,
            page,
            row: Arc::clone(&row),
        };
        let Some(old) = self.games.insert(header.id, new) else {
            return Ok(());
        };
        if old.page != page
            && let Some(left) = self.pages.get_mut(&old.page)
        {
            left.games.retain(|id| *id != header.id);
        }
        if old.mode != header.mode || old.row.key.slug != row.key.slug {
            let shelf = self.state.shelf_mut(old.mode);
            shelf.remove(&old.row.key.slug)?;
        }
        Ok(())
    }

    /// Puts a game on its shelf as it is now, or takes it off.
    fn relist(&mut self, id: Uuid) -> anyhow::Result<()> {
        let Some(held) = self.games.get_mut(&id) else {
            return Ok(());
        };
        let page = self.pages.get(&held.page).filter(|_| held.published);
        let Some(maker) = page.and_then(|page| page.maker.as_ref()) else {
            let shelf = self.state.shelf_mut(held.mode);
            return shelf.remove(&held.row.key.slug);
        };
        if held.row.maker != *maker {
            held.row = Arc::new(held.row.with_maker(Arc::clone(maker))?);
        }
        let row = Arc::clone(&held.row);
        let terms = row.terms(&mut self.state.genres)?;
        self.state.shelf_mut(held.mode).put(row, terms)
    }
}

/// What a published page gives to its games.
fn maker(header: &Header, page: listings::Page) -> Option<Arc<Maker>> {
    (header.state == listing::State::Published).then(|| {
        Arc::new(Maker {
            handle: page.handle.into(),
            name: page.name,
            country_code: page.country_code,
            city: page.city,
        })
    })
}
