//! Questions to a shelf, and their answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::{MultiOps as _, RoaringBitmap};

use super::chunk::{Filter, Scratch};
use super::row::Row;
use super::shelf::Shelf;
use crate::domain::facet::Facet;
use crate::domain::order::Key;

/// Which games are wanted; all conditions hold at once.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Values they have.
    pub facets: Vec<Facet>,
    /// Handle of their maker.
    pub creator: Option<String>,
    /// Each begins a word of theirs. An empty set: something was asked for that is no word, and no game has it.
    pub words: Option<BTreeSet<String>>,
    /// They come after this one.
    pub after: Option<Key>,
    /// So many at most.
    pub limit: usize,
}

/// A page of games.
#[derive(Debug)]
pub struct Page {
    /// In their order.
    pub rows: Vec<Arc<Row>>,
    /// How many games pass the filters, on all pages.
    pub total: u64,
    /// Whether there is a further page.
    pub more: bool,
}

impl Shelf {
    /// Answers a question from one moment.
    pub fn search(&self, question: &Question) -> Page {
        let slots = self.narrow(question);
        let filter = Filter {
            facets: &question.facets,
            slots: slots.as_ref(),
        };
        // Without facets the total is known before a chunk is looked at, and the walk ends with the page.
        let known = match (filter.facets, filter.slots) {
            ([], None) => Some(self.len()),
            ([], Some(slots)) => Some(slots.len()),
            _ => None,
        };
        let (first, mut position) = self.locate_after(question.after.as_ref());
        let mut scratch = Scratch::new(self.capacity());
        let mut found = Vec::with_capacity(question.limit + 1);
        let mut counted = 0;
        for (index, chunk) in self.chunks().iter().enumerate() {
            let full = found.len() > question.limit;
            if known.is_some() && full {
                break;
            }
            if index < first || full {
                if known.is_none() {
                    counted += u64::from(chunk.count(filter, &mut scratch));
                }
                continue;
            }
            let passing = chunk.select(filter, &mut scratch);
            counted += u64::from(passing);
            if passing > 0 {
                let missing = question.limit + 1 - found.len();
                found.extend(chunk.pick(position, &scratch.selected).take(missing));
            }
            position = 0;
        }
        let more = found.len() > question.limit;
        found.truncate(question.limit);
        Page {
            rows: found
                .into_iter()
                .filter_map(|slot| self.row(slot))
                .map(Arc::clone)
                .collect(),
            total: known.unwrap_or(counted),
            more,
        }
    }

    /// The slots that creator and words leave; `None` when the question has neither.
    fn narrow(&self, question: &Question) -> Option<RoaringBitmap> {
        let creator = question
            .creator
            .as_deref()
            .map(|handle| self.by_creator(handle).cloned().unwrap_or_default());
        let Some(words) = &question.words else {
            return creator;
        };
        let mut sets: Vec<RoaringBitmap> = creator.into_iter().collect();
        for word in words {
            let rows = self.by_word(word);
            if rows.is_empty() {
                return Some(rows);
            }
            sets.push(rows);
        }
        if words.is_empty() {
            return Some(RoaringBitmap::new());
        }
        Some(sets.intersection())
    }
}
