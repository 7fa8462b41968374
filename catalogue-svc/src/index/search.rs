//! One search over everything (§4.2).
//!
//! Hits are ranked by the worst field that is needed to find all words, and within that by kind; within a kind they are in the order
//! of its list. So the whole is a sequence of stretches, one for each rank and kind, and each stretch is a walk along an index.

use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use super::cities::City;
use super::creators::Creator;
use super::document::Document;
use super::events::Event;
use super::games::Game;
use super::listing_index::Index;
use super::query::Query;
use super::snapshot::Dataset;
use super::work::Work;
use crate::domain::facet::Facet;
use crate::domain::order::{CityKey, CreatorKey, EventKey, GameKey};
use crate::domain::words::Field;

/// Kinds of listings that are searched, in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Games.
    Games,
    /// Studios and persons.
    Creators,
    /// Events.
    Events,
    /// Cities.
    Cities,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Games, Self::Creators, Self::Events, Self::Cities];

    /// As filter and row have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Creators => "creators",
            Self::Events => "events",
            Self::Cities => "cities",
        }
    }
}

/// Ranks: all words are in the title; or at least in title and pitch; or somewhere.
const RANKS: usize = Field::ALL.len();

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Each begins a word of the hit. None: there are no hits.
    pub words: BTreeSet<String>,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only in this country.
    pub country: Option<Facet>,
    /// Hits come after this one.
    pub after: Option<SearchCursor>,
    /// So many at most.
    pub limit: usize,
}

/// What a cursor says about the hit it stands after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchCursor {
    rank: usize,
    row: Key,
}

/// The sort key of a hit in its list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Key {
    Games(GameKey),
    Creators(CreatorKey),
    Events(EventKey),
    Cities(CityKey),
}

impl Key {
    fn kind(&self) -> Kind {
        match self {
            Self::Games(_) => Kind::Games,
            Self::Creators(_) => Kind::Creators,
            Self::Events(_) => Kind::Events,
            Self::Cities(_) => Kind::Cities,
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone)]
pub enum Hit {
    /// A game.
    Game(Arc<Game>),
    /// A creator.
    Creator(Arc<Creator>),
    /// An event.
    Event(Arc<Event>),
    /// A city.
    City(Arc<City>),
}

impl Hit {
    fn key(&self) -> Key {
        match self {
            Self::Game(row) => Key::Games(row.key.clone()),
            Self::Creator(row) => Key::Creators(row.key.clone()),
            Self::Event(row) => Key::Events(row.key.clone()),
            Self::City(row) => Key::Cities(row.key.clone()),
        }
    }
}

/// A page of hits.
#[derive(Debug, Default)]
pub struct Hits {
    /// The best first.
    pub rows: Vec<Hit>,
    /// How many there are on all pages.
    pub total: u64,
    /// Stands after the last, when there is a further page.
    pub next: Option<SearchCursor>,
    /// What it cost.
    pub work: Work,
}

impl Dataset {
    /// Answers a search from one moment.
    pub fn search(&self, search: &Search) -> Hits {
        let mut walk = Walk {
            search,
            rank: 0,
            rows: Vec::new(),
            total: 0,
            more: false,
            work: Work::default(),
        };
        let games = walk.ranks(Kind::Games, &self.games);
        let creators = walk.ranks(Kind::Creators, &self.creators);
        let events = walk.ranks(Kind::Events, &self.events);
        let cities = walk.ranks(Kind::Cities, &self.cities);
        let (mut game, mut creator, mut event, mut city) = (None, None, None, None);
        match search.after.as_ref().map(|cursor| &cursor.row) {
            Some(Key::Games(key)) => game = Some(key),
            Some(Key::Creators(key)) => creator = Some(key),
            Some(Key::Events(key)) => event = Some(key),
            Some(Key::Cities(key)) => city = Some(key),
            None => {}
        }
        for rank in 0..RANKS {
            walk.rank = rank;
            walk.stretch(Kind::Games, &self.games, &games, game, Hit::Game);
            walk.stretch(
                Kind::Creators,
                &self.creators,
                &creators,
                creator,
                Hit::Creator,
            );
            walk.stretch(Kind::Events, &self.events, &events, event, Hit::Event);
            walk.stretch(Kind::Cities, &self.cities, &cities, city, Hit::City);
        }
        walk.end()
    }
}

/// A search on its way through the stretches.
struct Walk<'a> {
    search: &'a Search,
    rank: usize,
    /// Hits with their ranks.
    rows: Vec<(usize, Hit)>,
    total: u64,
    more: bool,
    work: Work,
}

impl Walk<'_> {
    /// The docs of the hits of a kind, by rank.
    fn ranks<L: Document>(&mut self, kind: Kind, index: &Index<L>) -> [RoaringBitmap; RANKS] {
        if self.search.kind.is_none_or(|wanted| wanted == kind) {
            index.rank(&self.search.words, &mut self.work)
        } else {
            Default::default()
        }
    }

    /// Goes on with the rows of a kind that have the rank. All are counted; those behind the cursor, which is `after` a row of the
    /// kind if it is within it, come on the page.
    fn stretch<L: Document>(
        &mut self,
        kind: Kind,
        index: &Index<L>,
        ranks: &[RoaringBitmap; RANKS],
        after: Option<&L::Key>,
        hit: fn(Arc<L>) -> Hit,
    ) {
        let docs = &ranks[self.rank];
        let here = (self.rank, kind);
        let begin = self.search.after.as_ref();
        let begin = begin.map(|cursor| (cursor.rank, cursor.row.kind()));
        let is_passed = begin.is_some_and(|begin| here < begin);
        let query = Query {
            facets: self.search.country.into_iter().collect(),
            after: after.filter(|_| begin == Some(here)).cloned(),
            limit: if is_passed {
                0
            } else {
                self.search.limit - self.rows.len()
            },
            ..Query::default()
        };
        // Without a country every doc counts: no chunk is needed when no row of the stretch comes on the page.
        if query.limit == 0 && query.facets.is_empty() {
            self.total += docs.len();
            self.more |= !is_passed && !docs.is_empty();
            return;
        }
        let page = index.walk(Some(docs), &query, self.work);
        self.work = page.work;
        self.total += page.total;
        if !is_passed {
            let rows = page.rows.into_iter();
            self.rows.extend(rows.map(|row| (self.rank, hit(row))));
            self.more |= page.more;
        }
    }

    fn end(self) -> Hits {
        let last = self.rows.last().filter(|_| self.more);
        Hits {
            next: last.map(|(rank, hit)| SearchCursor {
                rank: *rank,
                row: hit.key(),
            }),
            total: self.total,
            rows: self.rows.into_iter().map(|(_, hit)| hit).collect(),
            work: self.work,
        }
    }
}
