//! Queries of an index, and their results.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::chunk::{Filter, Scratch};
use super::document::Document;
use super::listing_index::Index;
use super::terms::{Forgive, terms};
use crate::domain::days::Span;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;

/// Which rows are wanted. A row must meet all conditions.
#[derive(Debug, Clone)]
pub struct Query<K> {
    /// Facets that the rows have.
    pub facets: Vec<Facet>,
    /// Keywords that the rows have.
    pub keywords: Vec<Keyword>,
    /// Each is a prefix of a word of the rows. Empty: the query has text without a word, and no row matches.
    pub words: Option<BTreeSet<String>>,
    /// When the rows (events) take place.
    pub span: Option<Span>,
    /// The rows changed then or later, in microseconds since 1970.
    pub updated_since: Option<i64>,
    /// The order is reversed: the last row first.
    pub backwards: bool,
    /// The rows come after this key, in that order.
    pub after: Option<K>,
    /// The most rows of the page.
    pub limit: usize,
}

/// Matches all rows. The page has none.
impl<K> Default for Query<K> {
    fn default() -> Self {
        Self {
            facets: Vec::new(),
            keywords: Vec::new(),
            words: None,
            span: None,
            updated_since: None,
            backwards: false,
            after: None,
            limit: 0,
        }
    }
}

impl<K> Query<K> {
    /// The filter of a walk: the conditions that chunks check, and `docs` if they are given.
    fn filter<'a>(&'a self, docs: Option<&'a RoaringBitmap>) -> Filter<'a> {
        Filter {
            facets: &self.facets,
            docs,
            span: self.span,
            updated_since: self.updated_since,
        }
    }
}

/// A page of rows.
#[derive(Debug)]
pub struct ResultPage<L> {
    /// In their order.
    pub rows: Vec<Arc<L>>,
    /// How many rows pass the filters, on all pages.
    pub total: u64,
    /// Whether there is a further page.
    pub more: bool,
}

impl<L: Document> Index<L> {
    /// Answers a query.
    pub fn search(&self, query: &Query<L::Key>) -> ResultPage<L> {
        let docs = self.candidates(query);
        let known = self.known_total(query.filter(docs.as_ref()));
        self.walk(docs.as_ref(), query, known)
    }

    /// The page of rows, only of these docs if they are given. Keywords and words of the query are ignored: `docs` stands for them. If the
    /// total is `known`, the walk ends when the page is full; otherwise it counts all rows.
    pub(super) fn walk(
        &self,
        docs: Option<&RoaringBitmap>,
        query: &Query<L::Key>,
        known: Option<u64>,
    ) -> ResultPage<L> {
        let filter = query.filter(docs);
        let (from, position) = self.start(query);
        let enough = query.limit.saturating_add(1);
        let mut scratch = Scratch::new(self.capacity, filter);
        let mut found = Vec::new();
        let mut counted = 0;
        for index in self.to_visit(filter, query.backwards) {
            let chunk = &self.chunks[index];
            // The part of the chunk that may be on the page.
            let positions = match index.cmp(&from) {
                Ordering::Equal if query.backwards => 0..position,
                Ordering::Equal => position..chunk.len(),
                Ordering::Less if query.backwards => 0..chunk.len(),
                Ordering::Greater if !query.backwards => 0..chunk.len(),
                Ordering::Less | Ordering::Greater => 0..0,
            };
            let full = found.len() >= enough;
            if known.is_some() && full {
                break;
            }
            if (known.is_some() && positions.is_empty()) || !chunk.may_match(filter) {
                continue;
            }
            let Some(passing) = chunk.select(filter, &mut scratch) else {
                continue;
            };
            counted += passing as u64;
            if passing > 0 && !full {
                chunk.pick(positions, query.backwards, &scratch, &mut found, enough);
            }
        }
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        let rows = found.into_iter().filter_map(|doc| self.row(doc));
        ResultPage {
            rows: rows.map(Arc::clone).collect(),
            total: known.unwrap_or(counted),
            more,
        }
    }

    /// How many rows pass the filter, if that is known without a walk.
    pub(super) fn known_total(&self, filter: Filter<'_>) -> Option<u64> {
        if filter.updated_since.is_some() {
            return None;
        }
        match (filter.facets, filter.docs, filter.span) {
            ([], None, None) => Some(self.len()),
            ([], Some(docs), None) => Some(docs.len()),
            (_, Some(docs), _) if docs.is_empty() => Some(0),
            ([facet], None, None) => Some(self.count(*facet)),
            _ => None,
        }
    }

    /// The chunks that have any of the filter's docs, in the order of the walk.
    fn to_visit(&self, filter: Filter<'_>, backwards: bool) -> Vec<usize> {
        let mut indexes = match filter.docs {
            Some(docs) => self.chunks_with(docs),
            None => (0..self.chunks.len()).collect(),
        };
        if backwards {
            indexes.reverse();
        }
        indexes
    }

    /// Where a page begins: the index of a chunk, and a position in it. The rows of the page are at or after this position; backwards, before
    /// it.
    fn start(&self, query: &Query<L::Key>) -> (usize, usize) {
        match (&query.after, query.backwards) {
            (None, false) => (0, 0),
            (None, true) => (self.chunks.len(), 0),
            (Some(after), false) => self.end_of(|row| row.key() <= after),
            (Some(after), true) => self.end_of(|row| row.key() < after),
        }
    }

    /// The docs that have all keywords and words; `None` if the query has neither.
    fn candidates(&self, query: &Query<L::Key>) -> Option<RoaringBitmap> {
        let mut left: Option<RoaringBitmap> = None;
        for keyword in &query.keywords {
            let docs = self.docs_with(keyword);
            let docs = docs.map(RoaringBitmap::from).unwrap_or_default();
            left = Some(match left {
                Some(left) => left & docs,
                None => docs,
            });
        }
        let Some(words) = &query.words else {
            return left;
        };
        if words.is_empty() || left.as_ref().is_some_and(RoaringBitmap::is_empty) {
            return Some(RoaringBitmap::new());
        }
        Some(self.docs_with_words(words, left.as_ref()))
    }

    /// The docs that have all words, only those `within` if that is given. `within` does not decide whether a word is misspelled.
    fn docs_with_words(
        &self,
        words: &BTreeSet<String>,
        within: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        for forgive in Forgive::STEPS {
            let Some(([terms], _)) = terms([&self.words], words, forgive) else {
                break;
            };
            let docs = terms.docs(within);
            if !docs.is_empty() || within.is_some() && !terms.docs(None).is_empty() {
                return docs;
            }
        }
        RoaringBitmap::new()
    }
}
