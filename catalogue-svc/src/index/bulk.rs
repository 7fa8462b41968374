//! Builds an index from all its rows: sorts and numbers them, and gathers their facets and words, on all processors.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

use super::document::Document;
use super::listing_index::Index;
use super::postings::{DocSet, FieldDocs};
use super::term_dictionary::TermDictionary;
use crate::domain::facet::Facet;
use crate::domain::words::{Field, Words};

/// The facets and words of consecutive rows, which one thread has gathered.
#[derive(Default)]
struct Part {
    words: HashMap<String, FieldDocs>,
    facets: HashMap<Facet, Vec<u32>>,
}

impl<L: Document> Index<L> {
    /// An index of these rows, no two of which have the same id.
    pub(super) fn build(mut rows: Vec<Arc<L>>) -> Result<Self, fst::Error> {
        rows.par_sort_unstable_by(|a, b| (a.key(), a.id()).cmp(&(b.key(), b.id())));
        let mut index = Self::of_sorted(&rows);
        // A part for each thread.
        let length = rows.len().div_ceil(rayon::current_num_threads()).max(1);
        let parts = rows.par_chunks(length).enumerate();
        let parts: Vec<Part> = parts
            .map(|(number, rows)| Part::of(rows, number * length))
            .collect();

        let mut words: BTreeMap<String, FieldDocs> = BTreeMap::new();
        let mut facets: HashMap<Facet, Vec<u32>> = HashMap::new();
        // Docs of a later part are all greater than those of the parts before.
        for part in parts {
            for (word, docs) in part.words {
                words.entry(word).or_default().append(docs);
            }
            for (facet, docs) in part.facets {
                facets.entry(facet).or_default().extend(docs);
            }
        }
        for (facet, docs) in facets {
            index.facets.insert(facet, Arc::new(DocSet::from(docs)));
        }
        index.words = TermDictionary::build(words)?;
        Ok(index)
    }
}

impl Part {
    /// The part of rows that are numbered from `first` on.
    fn of<L: Document>(rows: &[Arc<L>], first: usize) -> Self {
        let mut part = Self::default();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        for (doc, row) in (first..).zip(rows) {
            let fields = row.fields();
            part.add_words(doc, &fields.words);
            for facet in fields.facets {
                part.facets.entry(facet).or_default().push(doc);
            }
        }
        part
    }

    fn add_words(&mut self, doc: u32, words: &Words) {
        for (word, field) in words {
            push(&mut self.words, word, *field, doc);
        }
    }
}

fn push(docs: &mut HashMap<String, FieldDocs>, term: &str, field: Field, doc: u32) {
    match docs.get_mut(term) {
        Some(docs) => docs.push(field, doc),
        None => docs.entry(term.to_owned()).or_default().push(field, doc),
    }
}
