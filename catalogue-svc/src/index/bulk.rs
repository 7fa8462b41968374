//! Builds an index from all its rows: sorts them, cuts them into chunks and gathers their words into one fst, on all processors.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

use super::chunk::{Chunk, filled};
use super::document::Document;
use super::listing_index::Index;
use super::postings::{DocSet, FieldDocs};
use super::term_dictionary::TermDictionary;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::words::{Field, Words, short_prefixes};

/// The part of an index that one thread has built from consecutive chunks.
struct Part<L> {
    chunks: Vec<Arc<Chunk>>,
    rows: Vec<(u32, Arc<L>)>,
    words: HashMap<String, FieldDocs>,
    prefixes: HashMap<String, FieldDocs>,
    keywords: HashMap<Keyword, Vec<u32>>,
    counts: BTreeMap<Facet, u64>,
}

impl<L: Document> Index<L> {
    /// An index of these rows, no two of which have the same id.
    pub(super) fn build(mut rows: Vec<Arc<L>>, capacity: u16) -> Result<Self, fst::Error> {
        let mut index = Self::new(capacity);
        index.len = rows.len() as u64;
        rows.par_sort_unstable_by(|a, b| (a.key(), a.id()).cmp(&(b.key(), b.id())));
        let chunks = cut(rows, index.capacity);
        index.next = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
        let capacity = index.capacity;
        // The parts are in the order of their chunks.
        let parts = chunks
            .into_par_iter()
            .fold(Part::new, |part, (number, rows)| {
                part.with_chunk(number, rows, capacity)
            });
        let parts: Vec<Part<L>> = parts.collect();

        let mut words: BTreeMap<String, FieldDocs> = BTreeMap::new();
        let mut prefixes: HashMap<String, FieldDocs> = HashMap::new();
        let mut keywords: HashMap<Keyword, Vec<u32>> = HashMap::new();
        let mut counts = BTreeMap::new();
        // Docs of a later part are all greater than those of the parts before.
        for part in parts {
            index.chunks.extend(part.chunks);
            for (doc, row) in part.rows {
                index.addresses.insert(Arc::clone(row.address()), doc);
                *index.row_mut(doc) = Some(row);
            }
            for (word, docs) in part.words {
                words.entry(word).or_default().append(docs);
            }
            for (prefix, docs) in part.prefixes {
                prefixes.entry(prefix).or_default().append(docs);
            }
            for (keyword, docs) in part.keywords {
                keywords.entry(keyword).or_default().extend(docs);
            }
            for (facet, count) in part.counts {
                *counts.entry(facet).or_default() += count;
            }
        }
        for (keyword, docs) in keywords {
            let docs = Arc::new(DocSet::from(docs));
            index.keywords.insert(keyword, docs);
        }
        index.counts = Arc::new(counts);
        index.words = TermDictionary::build(words, prefixes)?;
        index.renumber();
        Ok(index)
    }
}

/// Cuts sorted rows into chunks, with their numbers. No chunk has rows of two partitions.
fn cut<L: Document>(rows: Vec<Arc<L>>, capacity: u16) -> Vec<(u32, Vec<Arc<L>>)> {
    let mut chunks: Vec<Vec<Arc<L>>> = Vec::new();
    for row in rows {
        let partition = L::partition(row.key());
        let last = chunks.last_mut().filter(|chunk| {
            let is_alike = |first: &Arc<L>| L::partition(first.key()) == partition;
            chunk.len() < filled(capacity) && chunk.first().is_some_and(is_alike)
        });
        match last {
            Some(chunk) => chunk.push(row),
            None => chunks.push(vec![row]),
        }
    }
    (0..).zip(chunks).collect()
}

impl<L: Document> Part<L> {
    fn new() -> Self {
        Self {
            chunks: Vec::new(),
            rows: Vec::new(),
            words: HashMap::new(),
            prefixes: HashMap::new(),
            keywords: HashMap::new(),
            counts: BTreeMap::new(),
        }
    }

    fn with_chunk(mut self, number: u32, rows: Vec<Arc<L>>, capacity: u16) -> Self {
        let partition = rows.first().is_some_and(|row| L::partition(row.key()));
        let mut chunk = Chunk::new(number, partition, capacity);
        for row in rows {
            let fields = row.fields();
            let doc = chunk.insert(chunk.len(), &fields);
            self.add_words(doc, &fields.words);
            for keyword in fields.keywords {
                self.keywords.entry(keyword).or_default().push(doc);
            }
            for facet in fields.facets {
                *self.counts.entry(facet).or_default() += 1;
            }
            self.rows.push((doc, row));
        }
        self.chunks.push(Arc::new(chunk));
        self
    }

    fn add_words(&mut self, doc: u32, words: &Words) {
        for (word, field) in words {
            push(&mut self.words, word, *field, doc);
        }
        for (prefix, field) in short_prefixes(words) {
            push(&mut self.prefixes, prefix, field, doc);
        }
    }
}

fn push(docs: &mut HashMap<String, FieldDocs>, term: &str, field: Field, doc: u32) {
    match docs.get_mut(term) {
        Some(docs) => docs.push(field, doc),
        None => docs.entry(term.to_owned()).or_default().push(field, doc),
    }
}
