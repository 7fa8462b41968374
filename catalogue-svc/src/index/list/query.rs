//! Queries of an index, and their results.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::listing_index::Index;
use crate::domain::days::Span;
use crate::domain::facet::Facet;
use crate::index::document::Document;
use crate::index::words::{Forgive, terms};

/// Which rows are wanted. A row must meet all conditions.
#[derive(Debug, Clone)]
pub struct Query<K> {
    /// Facets that the rows have.
    pub facets: Vec<Facet>,
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
            words: None,
            span: None,
            updated_since: None,
            backwards: false,
            after: None,
            limit: 0,
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

/// How many steps along the order cost as much as to read a row and sort it.
const STEPS: u64 = 8;

impl<L: Document> Index<L> {
    /// Answers a query. It forgives typos, which takes up to tens of milliseconds, if no row has the words as they are written.
    pub fn search(&self, query: &Query<L::Key>) -> ResultPage<L> {
        self.search_exactly(query).unwrap_or_else(|| {
            let steps = [Forgive::Unknown, Forgive::Rarest].into_iter();
            let mut found = steps.filter_map(|forgive| {
                let words = query.words.as_ref()?;
                Some(self.docs_with_words(words, forgive))
            });
            let docs = found.find(|docs| !docs.is_empty()).unwrap_or_default();
            self.answer(Some(Cow::Owned(docs)), query)
        })
    }

    /// Answers a query without forgiving typos. `None`: no row has its words as they are written.
    pub fn search_exactly(&self, query: &Query<L::Key>) -> Option<ResultPage<L>> {
        let Some(words) = &query.words else {
            return Some(self.answer(None, query));
        };
        let docs = self.docs_with_words(words, Forgive::Nothing);
        let is_final = words.is_empty() || !docs.is_empty();
        is_final.then(|| self.answer(Some(Cow::Owned(docs)), query))
    }

    /// The page of the rows that meet the conditions of `query`. `hits` stands for its words.
    fn answer(&self, hits: Option<Cow<'_, RoaringBitmap>>, query: &Query<L::Key>) -> ResultPage<L> {
        if let Some(hits) = self.narrow(hits, query) {
            return self.page(&hits, query);
        }
        let docs = self.order.docs(query.after.as_ref(), query.backwards);
        self.result(docs, query.limit, self.len())
    }

    /// The docs of `hits`, or all, that meet the conditions of `query` but for its words; `None`: all rows do.
    pub(crate) fn narrow<'a>(
        &'a self,
        hits: Option<Cow<'a, RoaringBitmap>>,
        query: &Query<L::Key>,
    ) -> Option<Cow<'a, RoaringBitmap>> {
        let sets = query.facets.iter().map(|facet| self.docs_with(facet));
        let Some(mut sets) = sets.collect::<Option<Vec<_>>>() else {
            // No row has the facet.
            return Some(Cow::default());
        };
        // The smallest first, so that little is compared with the large ones.
        sets.sort_unstable_by_key(|docs| docs.len());
        let hits = sets.into_iter().fold(hits, |hits, docs| {
            Some(match hits {
                Some(hits) => Cow::Owned(docs.within(&hits)),
                None => docs.to_bitmap(),
            })
        });
        let hits = match query.updated_since.map(|since| self.changed_since(since)) {
            Some(changed) => Some(Cow::Owned(match hits {
                Some(hits) => &*hits & changed,
                None => changed,
            })),
            None => hits,
        };
        let Some(span) = query.span else {
            return hits;
        };
        let takes_place = |doc: &u32| {
            let days = self.row(*doc).and_then(|row| row.days());
            days.is_some_and(|days| span.holds(days))
        };
        let docs: RoaringBitmap = match hits {
            Some(hits) => hits.iter().filter(takes_place).collect(),
            None => self.docs().filter(takes_place).collect(),
        };
        Some(Cow::Owned(docs))
    }

    /// The page of these docs. The conditions of the query are ignored: `hits` stands for them.
    pub(crate) fn page(&self, hits: &RoaringBitmap, query: &Query<L::Key>) -> ResultPage<L> {
        let total = hits.len();
        let before = match self.sorted.checked_sub(1) {
            Some(last) => hits.rank(last),
            None => 0,
        };
        let enough = query.limit.saturating_add(1);
        let steps = (enough as u64).saturating_mul(self.len()) / total.max(1);
        if steps < (total - before).saturating_mul(STEPS) {
            // Many hits: the page is full after a few steps.
            let docs = self.order.docs(query.after.as_ref(), query.backwards);
            return self.result(docs.filter(|doc| hits.contains(*doc)), query.limit, total);
        }
        let docs = self.first_docs(hits, query, enough);
        self.result(docs.into_iter(), query.limit, total)
    }

    /// The first docs of `hits` behind the cursor, in the order of the query, as many as are `enough`. The docs that the index was built with
    /// are in the order of their keys; the others are sorted.
    fn first_docs(&self, hits: &RoaringBitmap, query: &Query<L::Key>, enough: usize) -> Vec<u32> {
        let (after, backwards) = (query.after.as_ref(), query.backwards);
        let is_sorted = |doc: &u32| *doc < self.sorted;
        // The first doc behind the cursor that is in the order of its key.
        let begin = after.map(|_| self.order.docs(after, backwards).find(is_sorted));
        let early: Vec<u32> = match begin {
            Some(None) => Vec::new(),
            Some(Some(begin)) if backwards => hits.range(..=begin).rev().take(enough).collect(),
            Some(Some(begin)) => hits.range(begin..self.sorted).take(enough).collect(),
            None if backwards => hits.range(..self.sorted).rev().take(enough).collect(),
            None => hits.range(..self.sorted).take(enough).collect(),
        };
        let late = hits.range(self.sorted..);
        let mut rows: Vec<(&L::Key, u32)> = (early.into_iter().chain(late))
            .filter_map(|doc| Some((self.row(doc)?.key(), doc)))
            .filter(|(key, _)| match after {
                Some(after) if backwards => *key < after,
                Some(after) => *key > after,
                None => true,
            })
            .collect();
        if backwards {
            rows.sort_unstable_by(|one, other| other.cmp(one));
        } else {
            rows.sort_unstable();
        }
        rows.truncate(enough);
        rows.into_iter().map(|(_, doc)| doc).collect()
    }

    /// The page that begins with the first of these docs, which are in their order.
    fn result(&self, docs: impl Iterator<Item = u32>, limit: usize, total: u64) -> ResultPage<L> {
        let mut rows = docs.filter_map(|doc| self.row(doc));
        ResultPage {
            rows: rows.by_ref().take(limit).map(Arc::clone).collect(),
            total,
            more: rows.next().is_some(),
        }
    }

    /// The docs that have all words.
    fn docs_with_words(&self, words: &BTreeSet<String>, forgive: Forgive) -> RoaringBitmap {
        let terms = terms([&self.words], words, forgive);
        terms.map_or_else(RoaringBitmap::new, |([terms], _)| terms.docs())
    }
}
