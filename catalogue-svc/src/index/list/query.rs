//! Queries of an index, and their results.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::listing_index::Index;
use crate::domain::days::Span;
use crate::domain::facet::Facet;
use crate::index::document::Document;
use crate::index::words::terms;

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

#[derive(Debug)]
pub struct ResultPage<L> {
    /// In their order.
    pub rows: Vec<Arc<L>>,
    /// How many rows pass the filters, on all pages.
    pub total: u64,
    pub more: bool,
}

/// How many steps along the order cost as much as to read a row and sort it.
const STEPS: u64 = 8;

impl<L: Document> Index<L> {
    /// Answers a query. It forgives typos, which takes up to tens of milliseconds, if no row has one of the words as it is written.
    pub fn search(&self, query: &Query<L::Key>) -> ResultPage<L> {
        self.search_exactly(query).unwrap_or_else(|| {
            let docs = self.docs_with_words(query, true).unwrap_or_default();
            self.answer(Some(Cow::Owned(docs)), query)
        })
    }

    /// Answers a query without forgiving typos. Returns `None` if no row has one of its words as it is written.
    pub fn search_exactly(&self, query: &Query<L::Key>) -> Option<ResultPage<L>> {
        let docs = match query.words {
            Some(_) => Some(Cow::Owned(self.docs_with_words(query, false)?)),
            None => None,
        };
        Some(self.answer(docs, query))
    }

    /// The page of the rows that meet the conditions of `query`. `hits` stands for its words.
    fn answer(&self, hits: Option<Cow<'_, RoaringBitmap>>, query: &Query<L::Key>) -> ResultPage<L> {
        if let Some(hits) = self.narrow(hits, query) {
            return self.page(&hits, query);
        }
        let docs = self.docs_behind(query.after.as_ref(), query.backwards);
        self.result(docs, query.limit, self.len())
    }

    /// The docs of `hits`, or all, that meet the conditions of `query` but for its words. Returns `None` if all rows do.
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
        let (after, backwards) = (query.after.as_ref(), query.backwards);
        let enough = query.limit.saturating_add(1);
        let steps = (enough as u64).saturating_mul(self.len()) / total.max(1);
        if steps < total.saturating_mul(STEPS) {
            // Many hits: the page is full after a few steps.
            let docs = self.docs_behind(after, backwards);
            return self.result(docs.filter(|doc| hits.contains(*doc)), query.limit, total);
        }
        let mut rows: Vec<(&L::Key, u32)> = (hits.iter())
            .filter_map(|doc| Some((self.row(doc)?.key(), doc)))
            .filter(|(key, _)| match after {
                Some(after) if backwards => *key < after,
                Some(after) => *key > after,
                None => true,
            })
            .collect();
        rows.sort_unstable();
        if backwards {
            rows.reverse();
        }
        let docs = rows.into_iter().map(|(_, doc)| doc);
        self.result(docs, query.limit, total)
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

    /// The docs that have all words of a query, or `None` if no row has one of them.
    fn docs_with_words(&self, query: &Query<L::Key>, forgive: bool) -> Option<RoaringBitmap> {
        let [terms] = terms([&self.words], query.words.as_ref()?, forgive)?;
        Some(terms.docs())
    }
}
