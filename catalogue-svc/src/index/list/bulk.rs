//! Builds an index from all its rows: sorts and numbers them, and gathers their facets and words, on all processors.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

use super::listing_index::Index;
use crate::domain::facet::Facet;
use crate::domain::words::Words;
use crate::index::doc_set::DocSet;
use crate::index::document::Document;
use crate::index::words::{FieldDocs, TermDictionary};

/// The facets and words of consecutive rows, which one thread has gathered.
struct Chunk {
    /// In the order of the words.
    words: Vec<(String, FieldDocs)>,
    facets: HashMap<Facet, Vec<u32>, RandomState>,
}

impl<L: Document> Index<L> {
    /// Builds an index of rows. Their ids must be distinct.
    pub(crate) fn build(mut rows: Vec<Arc<L>>) -> Result<Self, fst::Error> {
        rows.par_sort_unstable_by(|a, b| (a.key(), a.id()).cmp(&(b.key(), b.id())));
        // A chunk for each thread.
        let length = rows.len().div_ceil(rayon::current_num_threads()).max(1);
        let chunks: Vec<Chunk> = rows
            .par_chunks(length)
            .enumerate()
            .map(|(number, rows)| Chunk::new(rows, number * length))
            .collect();

        let (words, facets): (Vec<_>, Vec<_>) =
            chunks.into_iter().map(|chunk| (chunk.words, chunk.facets)).unzip();
        let (mut index, dictionary) =
            rayon::join(|| Self::from_sorted(&rows), || TermDictionary::build(merge(words)));
        index.words = dictionary?;
        // Docs of a later chunk are all greater than those of the chunks before.
        let mut docs: HashMap<Facet, Vec<u32>, RandomState> = HashMap::default();
        for (facet, more) in facets.into_iter().flatten() {
            docs.entry(facet).or_default().extend(more);
        }
        for (facet, docs) in docs {
            index.facets.insert(facet, Arc::new(DocSet::from(docs)));
        }
        Ok(index)
    }
}

/// The words of all chunks, in their order.
fn merge(chunks: Vec<Vec<(String, FieldDocs)>>) -> Vec<(String, FieldDocs)> {
    let mut words: Vec<_> = chunks.into_iter().flatten().collect();
    // The sort leaves a word of an earlier chunk, whose docs are all less, before the same word of a later one.
    words.sort_by(|(one, _), (other, _)| one.cmp(other));
    words.dedup_by(|(word, docs), (held, held_docs)| {
        let is_same = word == held;
        if is_same {
            held_docs.append(std::mem::take(docs));
        }
        is_same
    });
    words
}

impl Chunk {
    /// The chunk of rows that are numbered from `first` on.
    fn new<L: Document>(rows: &[Arc<L>], first: usize) -> Self {
        let mut words = HashMap::default();
        let mut facets: HashMap<Facet, Vec<u32>, RandomState> = HashMap::default();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        for (doc, row) in (first..).zip(rows) {
            let fields = row.fields();
            add_words(&mut words, doc, &fields.words);
            for facet in fields.facets {
                facets.entry(facet).or_default().push(doc);
            }
        }
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Self { words, facets }
    }
}

fn add_words(held: &mut HashMap<String, FieldDocs, RandomState>, doc: u32, words: &Words) {
    for (word, field) in words.iter() {
        match held.get_mut(word) {
            Some(docs) => docs.push(field, doc),
            None => held.entry(word.to_owned()).or_default().push(field, doc),
        }
    }
}
