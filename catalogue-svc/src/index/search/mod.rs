//! One search over everything (§4.2).
//!
//! Hits are ordered by their grade ([`ranking`]), then by the length of their titles (the shorter first, since the query is a larger
//! part of them), then by kind, then as in the list of the kind. The result is a sequence of segments, one for each grade, length and kind
//! (two for events: those to come, and the past ones backwards), and each segment is a page of an index. Grade and length together are
//! the *rank* of a hit.

mod ranking;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, EnumString, IntoStaticStr, VariantNames};
use time::Date;

use super::cities::City;
use super::creators::Creator;
use super::document::Document;
use super::events::Event;
use super::games::Game;
use super::list::{Index, Query};
use super::snapshot::Dataset;
use super::words::{Terms, terms};
use crate::domain::days::{Span, When};
use crate::domain::facet::Facet;
use crate::domain::order::{CityKey, CreatorKey, EventKey, GameKey};
use crate::domain::words::LONGEST_TITLE;
use ranking::{GRADES, Grades};

/// The kinds of hits, in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HitKind {
    Games,
    Creators,
    Events,
    Cities,
}

impl HitKind {
    /// The name in the parameter `type` and in result rows.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Lengths of titles, which tell hits of a grade apart.
const LENGTHS: usize = LONGEST_TITLE as usize;

#[derive(Debug, Clone)]
pub struct Search {
    /// Each is a prefix of a word of the hit, or a misspelled word of it. Empty: there are no hits.
    pub words: BTreeSet<String>,
    pub kind: Option<HitKind>,
    pub country: Option<Facet>,
    /// Count the hits of the other kinds too.
    pub counts_every_kind: bool,
    /// Events that ended before this day come after the others.
    pub today: Date,
    /// Hits come after this one.
    pub after: Option<SearchCursor>,
    pub limit: usize,
}

/// Finds nothing. All events are to come.
impl Default for Search {
    fn default() -> Self {
        Self {
            words: BTreeSet::new(),
            kind: None,
            country: None,
            counts_every_kind: false,
            today: Date::MIN,
            after: None,
            limit: 0,
        }
    }
}

/// The position of the hit after which the next page begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchCursor {
    rank: usize,
    row: Key,
}

/// The sort key of a hit in its list. Its variants are the segments of a rank, in the order in which they come.
#[derive(Debug, Clone, Serialize, Deserialize, EnumDiscriminants)]
#[serde(rename_all = "snake_case")]
#[strum_discriminants(name(Segment), derive(PartialOrd, Ord))]
enum Key {
    Games(GameKey),
    Creators(CreatorKey),
    UpcomingEvents(EventKey),
    PastEvents(EventKey),
    Cities(CityKey),
}

/// A listing or city that was found.
#[derive(Debug, Clone)]
pub enum Hit {
    Game(Arc<Game>),
    Creator(Arc<Creator>),
    Event(Arc<Event>),
    City(Arc<City>),
}

impl Hit {
    fn key(&self, today: Date) -> Key {
        match self {
            Self::Game(row) => Key::Games(row.key.clone()),
            Self::Creator(row) => Key::Creators(row.key.clone()),
            Self::Event(row) if row.last_day < today => Key::PastEvents(row.key.clone()),
            Self::Event(row) => Key::UpcomingEvents(row.key.clone()),
            Self::City(row) => Key::Cities(row.key.clone()),
        }
    }
}

#[derive(Debug, Default)]
pub struct Hits {
    /// The best first.
    pub rows: Vec<Hit>,
    /// How many there are on all pages.
    pub total: u64,
    /// How many hits each counted kind has.
    pub totals: Vec<(HitKind, u64)>,
    /// The cursor of the next page, if there is one.
    pub next: Option<SearchCursor>,
    /// Whether words of the query were replaced by similar words.
    pub similar: bool,
}

impl Dataset {
    /// Answers a search. It forgives typos, which takes up to tens of milliseconds, if nothing has one of the words as it is written.
    pub fn search(&self, search: &Search) -> Hits {
        self.search_exactly(search).unwrap_or_else(|| {
            let Some(found) = self.matches(search, true) else {
                return Hits::default();
            };
            Hits { similar: true, ..self.hits(search, found) }
        })
    }

    /// Answers a search without forgiving typos. Returns `None` if nothing has one of its words as it is written.
    pub fn search_exactly(&self, search: &Search) -> Option<Hits> {
        let found = self.matches(search, false)?;
        Some(self.hits(search, found))
    }

    /// The page of these matches.
    fn hits(&self, search: &Search, found: [Matches<'_>; 4]) -> Hits {
        let mut walk = Walk { search, rank: 0, rows: Vec::new(), totals: Vec::new() };
        let [games, creators, events, cities] = found;
        let mut games = walk.grades(HitKind::Games, &self.games, games);
        let mut creators = walk.grades(HitKind::Creators, &self.creators, creators);
        let mut events = walk.grades(HitKind::Events, &self.events, events);
        let mut cities = walk.grades(HitKind::Cities, &self.cities, cities);
        let (mut game, mut creator, mut event, mut city) = (None, None, None, None);
        match search.after.as_ref().map(|cursor| &cursor.row) {
            Some(Key::Games(key)) => game = Some(key),
            Some(Key::Creators(key)) => creator = Some(key),
            Some(Key::UpcomingEvents(key) | Key::PastEvents(key)) => event = Some(key),
            Some(Key::Cities(key)) => city = Some(key),
            None => {}
        }
        let first = search.after.as_ref().map_or(0, |cursor| cursor.rank);
        for rank in first..GRADES * LENGTHS {
            walk.rank = rank;
            if walk.is_full() {
                break;
            }
            walk.add_segment(Segment::Games, &self.games, &mut games, game, Hit::Game);
            walk.add_segment(
                Segment::Creators,
                &self.creators,
                &mut creators,
                creator,
                Hit::Creator,
            );
            for segment in [Segment::UpcomingEvents, Segment::PastEvents] {
                walk.add_segment(segment, &self.events, &mut events, event, Hit::Event);
            }
            walk.add_segment(Segment::Cities, &self.cities, &mut cities, city, Hit::City);
        }
        walk.end()
    }

    /// The matches of each kind. The filters do not decide which words are misspelled.
    fn matches(&self, search: &Search, forgive: bool) -> Option<[Matches<'_>; 4]> {
        let dictionaries =
            [&self.games.words, &self.creators.words, &self.events.words, &self.cities.words];
        let terms = terms(dictionaries, &search.words, forgive)?;
        Some(terms.map(|terms| {
            let docs = terms.docs();
            Matches { terms, docs }
        }))
    }
}

/// The matches of the words in an index, and the docs that have all words.
struct Matches<'a> {
    terms: Terms<'a>,
    docs: RoaringBitmap,
}

/// The state of a search that goes through the segments.
struct Walk<'a> {
    search: &'a Search,
    /// The current grade times [`LENGTHS`], plus the length of titles minus one.
    rank: usize,
    /// Hits with their ranks: those of the page, and the hit after them if there is one.
    rows: Vec<(usize, Hit)>,
    totals: Vec<(HitKind, u64)>,
}

impl Walk<'_> {
    /// Whether hits of this kind are wanted.
    fn wants(&self, kind: HitKind) -> bool {
        self.search.kind.is_none_or(|wanted| wanted == kind)
    }

    /// The docs of a kind by grade. Counts its hits.
    fn grades<'t, L: Document>(
        &mut self,
        kind: HitKind,
        index: &Index<L>,
        matches: Matches<'t>,
    ) -> Grades<'t> {
        let is_wanted = self.wants(kind);
        if is_wanted || self.search.counts_every_kind {
            let total = match &self.search.country {
                None => matches.docs.len(),
                Some(country) => {
                    let docs = index.docs_with(country);
                    docs.map_or(0, |docs| docs.within(&matches.docs).len())
                }
            };
            self.totals.push((kind, total));
        }
        if is_wanted {
            Grades::new(matches.terms, matches.docs)
        } else {
            Grades::new(matches.terms, RoaringBitmap::new())
        }
    }

    /// Adds the rows of a segment at the current rank to the page, until the page is full. `after` is the row of the cursor, if that is of
    /// the kind. Segments before the cursor are skipped.
    fn add_segment<L: Document>(
        &mut self,
        segment: Segment,
        index: &Index<L>,
        grades: &mut Grades<'_>,
        after: Option<&L::Key>,
        hit: fn(Arc<L>) -> Hit,
    ) {
        let here = (self.rank, segment);
        let begin =
            self.search.after.as_ref().map(|cursor| (cursor.rank, Segment::from(&cursor.row)));
        if self.is_full() || begin.is_some_and(|begin| here < begin) {
            return;
        }
        let Some(docs) = grades.get(self.rank / LENGTHS) else {
            return;
        };
        // A title has a word at least.
        let length = u8::try_from(self.rank % LENGTHS + 1).unwrap_or(LONGEST_TITLE);
        let when = match segment {
            Segment::UpcomingEvents => Some(When::Upcoming),
            Segment::PastEvents => Some(When::Past),
            Segment::Games | Segment::Creators | Segment::Cities => None,
        };
        let query = Query {
            facets: (self.search.country.iter().cloned())
                .chain([Facet::TitleWords(length)])
                .collect(),
            span: when.map(|when| Span::new(when, self.search.today, None, None)),
            backwards: segment == Segment::PastEvents,
            after: after.filter(|_| begin == Some(here)).cloned(),
            limit: self.search.limit + 1 - self.rows.len(),
            ..Query::default()
        };
        let Some(docs) = index.narrow(Some(Cow::Borrowed(docs)), &query) else {
            return;
        };
        let rows = index.page(&docs, &query).rows.into_iter();
        self.rows.extend(rows.map(|row| (self.rank, hit(row))));
    }

    /// Whether the page and the hit after it are found.
    fn is_full(&self) -> bool {
        self.rows.len() > self.search.limit
    }

    fn end(mut self) -> Hits {
        let more = self.rows.len() > self.search.limit;
        self.rows.truncate(self.search.limit);
        let last = self.rows.last().filter(|_| more);
        let wanted = self.totals.iter().filter(|(kind, _)| self.wants(*kind));
        Hits {
            next: last
                .map(|(rank, hit)| SearchCursor { rank: *rank, row: hit.key(self.search.today) }),
            total: wanted.map(|(_, total)| total).sum(),
            totals: self.totals,
            similar: false,
            rows: self.rows.into_iter().map(|(_, hit)| hit).collect(),
        }
    }
}
