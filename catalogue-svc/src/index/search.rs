//! One search over everything (§4.2).
//!
//! Hits are ranked by their grade ([`super::ranking`]); within a grade shorter titles come first, which the query says more of; within a
//! length by kind; within a kind they are in the order of its list. So the whole is a sequence of stretches, one for each grade, length
//! and kind, and each stretch is a walk along an index.

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
use super::ranking::{GRADES, Grades};
use super::snapshot::Dataset;
use super::terms::{Forgive, Terms, terms};
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::order::{CityKey, CreatorKey, EventKey, GameKey};
use crate::domain::words::LONGEST_TITLE;

/// The kinds of hits, in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    /// Games.
    Games,
    /// Studios and persons.
    Creators,
    /// Events.
    Events,
    /// Cities.
    Cities,
}

impl HitKind {
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

/// Lengths of titles, which tell hits of a grade apart.
const LENGTHS: usize = LONGEST_TITLE as usize;

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Each begins a word of the hit, or is a misspelled one. None: there are no hits.
    pub words: BTreeSet<String>,
    /// Only this kind.
    pub kind: Option<HitKind>,
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
    fn kind(&self) -> HitKind {
        match self {
            Self::Games(_) => HitKind::Games,
            Self::Creators(_) => HitKind::Creators,
            Self::Events(_) => HitKind::Events,
            Self::Cities(_) => HitKind::Cities,
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
    /// Whether similar words stand in the place of some that no listing has.
    pub similar: bool,
}

impl Dataset {
    /// Answers a search from one moment.
    pub fn search(&self, search: &Search) -> Hits {
        let mut walk = Walk {
            search,
            rank: 0,
            rows: Vec::new(),
            total: 0,
            similar: false,
        };
        let Some((found, similar)) = self.found(search) else {
            return walk.end();
        };
        walk.similar = similar;
        let [games, creators, events, cities] = found;
        let mut games = walk.grades(HitKind::Games, &self.games, games);
        let mut creators = walk.grades(HitKind::Creators, &self.creators, creators);
        let mut events = walk.grades(HitKind::Events, &self.events, events);
        let mut cities = walk.grades(HitKind::Cities, &self.cities, cities);
        let (mut game, mut creator, mut event, mut city) = (None, None, None, None);
        match search.after.as_ref().map(|cursor| &cursor.row) {
            Some(Key::Games(key)) => game = Some(key),
            Some(Key::Creators(key)) => creator = Some(key),
            Some(Key::Events(key)) => event = Some(key),
            Some(Key::Cities(key)) => city = Some(key),
            None => {}
        }
        let first = search.after.as_ref().map_or(0, |cursor| cursor.rank);
        for rank in first..GRADES * LENGTHS {
            walk.rank = rank;
            if walk.is_full() {
                break;
            }
            walk.stretch(HitKind::Games, &self.games, &mut games, game, Hit::Game);
            walk.stretch(
                HitKind::Creators,
                &self.creators,
                &mut creators,
                creator,
                Hit::Creator,
            );
            walk.stretch(
                HitKind::Events,
                &self.events,
                &mut events,
                event,
                Hit::Event,
            );
            walk.stretch(HitKind::Cities, &self.cities, &mut cities, city, Hit::City);
        }
        walk.end()
    }

    /// What the words stand for in each kind, and the docs that have them all. What is misspelled does not depend on the filters, which
    /// only narrow what is found. Also returns whether words are misspelled.
    fn found(&self, search: &Search) -> Option<([(Terms<'_>, RoaringBitmap); 4], bool)> {
        let dictionaries = [
            &self.games.words,
            &self.creators.words,
            &self.events.words,
            &self.cities.words,
        ];
        let found = |forgive| {
            let (terms, similar) = terms(dictionaries, &search.words, forgive)?;
            let found = terms.map(|terms| {
                let docs = terms.docs(None);
                (terms, docs)
            });
            Some((found, similar))
        };
        let known = found(Forgive::Unknown)?;
        if known.0.iter().any(|(_, docs)| !docs.is_empty()) {
            return Some(known);
        }
        found(Forgive::Rarest)
    }
}

/// A search on its way through the stretches.
struct Walk<'a> {
    search: &'a Search,
    rank: usize,
    /// Hits with their ranks: those of the page and, if there is one, the next.
    rows: Vec<(usize, Hit)>,
    total: u64,
    similar: bool,
}

impl Walk<'_> {
    /// The docs of the hits of a kind, by grade. All are counted.
    fn grades<'t, L: Document>(
        &mut self,
        kind: HitKind,
        index: &Index<L>,
        (terms, docs): (Terms<'t>, RoaringBitmap),
    ) -> Grades<'t> {
        if self.search.kind.is_some_and(|wanted| wanted != kind) {
            return Grades::new(terms, RoaringBitmap::new());
        }
        self.total += match self.search.country {
            None => docs.len(),
            Some(country) => {
                let counted = Query {
                    facets: vec![country],
                    ..Query::default()
                };
                index.walk(Some(&docs), &counted, None).total
            }
        };
        Grades::new(terms, docs)
    }

    /// Goes on with the rows of a kind that have the rank; those behind the cursor, which is `after` a row of the kind if it is within
    /// it, come on the page.
    fn stretch<L: Document>(
        &mut self,
        kind: HitKind,
        index: &Index<L>,
        grades: &mut Grades<'_>,
        after: Option<&L::Key>,
        hit: fn(Arc<L>) -> Hit,
    ) {
        let here = (self.rank, kind);
        let begin = self.search.after.as_ref();
        let begin = begin.map(|cursor| (cursor.rank, cursor.row.kind()));
        if self.is_full() || begin.is_some_and(|begin| here < begin) {
            return;
        }
        let Some(docs) = grades.get(self.rank / LENGTHS) else {
            return;
        };
        // A title has a word at least.
        let length = u8::try_from(self.rank % LENGTHS + 1).unwrap_or(LONGEST_TITLE);
        let Some(of_length) = index.having(&Keyword::TitleWords(length)) else {
            return;
        };
        let docs = of_length.within(docs);
        if docs.is_empty() {
            return;
        }
        let query = Query {
            facets: self.search.country.into_iter().collect(),
            after: after.filter(|_| begin == Some(here)).cloned(),
            limit: self.search.limit + 1 - self.rows.len(),
            ..Query::default()
        };
        let page = index.walk(Some(&docs), &query, Some(docs.len()));
        let rows = page.rows.into_iter();
        self.rows.extend(rows.map(|row| (self.rank, hit(row))));
    }

    /// Whether the page and the hit behind it are found.
    fn is_full(&self) -> bool {
        self.rows.len() > self.search.limit
    }

    fn end(mut self) -> Hits {
        let more = self.rows.len() > self.search.limit;
        self.rows.truncate(self.search.limit);
        let last = self.rows.last().filter(|_| more);
        Hits {
            next: last.map(|(rank, hit)| SearchCursor {
                rank: *rank,
                row: hit.key(),
            }),
            total: self.total,
            similar: self.similar,
            rows: self.rows.into_iter().map(|(_, hit)| hit).collect(),
        }
    }
}
