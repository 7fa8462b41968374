//! Questions to a shelf, and their answers.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::{MultiOps as _, RoaringBitmap};

use super::chunk::{Filter, Scratch};
use super::document::Document;
use super::listing_index::Index;
use crate::domain::days::Span;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::words::Field;

/// Which rows are wanted; all conditions hold at once.
#[derive(Debug, Clone)]
pub struct Query<K> {
    /// Values they have.
    pub facets: Vec<Facet>,
    /// More values they have.
    pub keywords: Vec<Keyword>,
    /// Each begins a word of theirs. An empty set: something was asked for that is no word, and no row has it.
    pub words: Option<BTreeSet<String>>,
    /// When they take place.
    pub span: Option<Span>,
    /// They are wanted from the last to the first.
    pub backwards: bool,
    /// They come after this one, in that direction.
    pub after: Option<K>,
    /// So many at most.
    pub limit: usize,
}

/// All rows; but none on the page.
impl<K> Default for Query<K> {
    fn default() -> Self {
        Self {
            facets: Vec::new(),
            keywords: Vec::new(),
            words: None,
            span: None,
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

impl<L: Document> Index<L> {
    /// Answers a question from one moment.
    pub fn search(&self, question: &Query<L::Key>) -> ResultPage<L> {
        self.search_in(self.narrow(question).as_ref(), question)
    }

    /// The same for rows in these slots only, if any are given; keywords and words of the question are not looked at.
    pub(super) fn search_in(
        &self,
        slots: Option<&RoaringBitmap>,
        question: &Query<L::Key>,
    ) -> ResultPage<L> {
        let filter = Filter {
            facets: &question.facets,
            slots,
            span: question.span,
        };
        // Mostly the total is known before a chunk is looked at, and the walk ends with the page.
        let known = match (filter.facets, slots, filter.span) {
            ([], None, None) => Some(self.len()),
            ([], Some(slots), None) => Some(slots.len()),
            ([facet], None, None) => Some(self.count(*facet)),
            _ => None,
        };
        let (from, position) = self.start(question);
        let enough = question.limit.saturating_add(1);
        let mut scratch = Scratch::new(self.capacity());
        let mut found = Vec::new();
        let mut counted = 0;
        let count = self.chunks().len();
        for step in 0..count {
            let index = if question.backwards {
                count - 1 - step
            } else {
                step
            };
            let chunk = &self.chunks()[index];
            // What of the chunk may be on the page.
            let positions = match index.cmp(&from) {
                Ordering::Equal if question.backwards => 0..position,
                Ordering::Equal => position..chunk.len(),
                Ordering::Less if question.backwards => 0..chunk.len(),
                Ordering::Greater if !question.backwards => 0..chunk.len(),
                Ordering::Less | Ordering::Greater => 0..0,
            };
            let full = found.len() >= enough;
            if known.is_some() && full {
                break;
            }
            if known.is_some() && positions.is_empty() {
                continue;
            }
            let passing = chunk.select(filter, &mut scratch);
            counted += u64::from(passing);
            if passing > 0 && !full {
                let found = (&mut found, enough);
                chunk.pick(positions, question.backwards, &scratch, found);
            }
        }
        let more = found.len() > question.limit;
        found.truncate(question.limit);
        let rows = found.into_iter().filter_map(|slot| self.row(slot));
        ResultPage {
            rows: rows.map(Arc::clone).collect(),
            total: known.unwrap_or(counted),
            more,
        }
    }

    /// Where a page begins: a chunk, and a position in it. Its rows are from there on or, backwards, those before it.
    fn start(&self, question: &Query<L::Key>) -> (usize, usize) {
        match (&question.after, question.backwards) {
            (None, false) => (0, 0),
            (None, true) => (self.chunks().len(), 0),
            (Some(after), false) => self.end_of(|key| key <= after),
            (Some(after), true) => self.end_of(|key| key < after),
        }
    }

    /// The slots that keywords and words leave; `None` when the question has neither.
    fn narrow(&self, question: &Query<L::Key>) -> Option<RoaringBitmap> {
        if question.keywords.is_empty() && question.words.is_none() {
            return None;
        }
        let mut sets: Vec<RoaringBitmap> = Vec::new();
        for tag in &question.keywords {
            sets.push(self.tagged(tag).cloned().unwrap_or_default());
        }
        if let Some(words) = &question.words {
            if words.is_empty() {
                return Some(RoaringBitmap::new());
            }
            for word in words {
                let rows = self.words().find(word);
                if rows.is_empty() {
                    return Some(rows);
                }
                sets.push(rows);
            }
        }
        Some(sets.intersection())
    }

    /// The slots of rows that have all words, by the worst field that is needed to find them all: no row is in two sets.
    pub(super) fn rank(&self, words: &BTreeSet<String>) -> [RoaringBitmap; Field::ALL.len()] {
        let found = words.iter().map(|word| self.words().find_by_field(word));
        let within = found.reduce(|mut within, found| {
            for (within, found) in within.iter_mut().zip(found) {
                *within &= found;
            }
            within
        });
        let [title, pitch, all] = within.unwrap_or_default();
        let rest = all - &pitch;
        let pitch = pitch - &title;
        [title, pitch, rest]
    }
}
