//! The words of an index: in which documents each stands.
//!
//! Most words are in a finite state transducer (fst), which is immutable. New words are in a small sorted map; when they are many, a new fst
//! is built from both. Fst and map lead from a word to its number, and the number leads to its posting, which can change.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use fst::{IntoStreamer as _, Map, MapBuilder, Streamer as _};
use imbl::Vector;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::postings::{FieldDocs, Posting};
use crate::domain::typo::{Closeness, Misspelled};
use crate::domain::words::{Field, Words};

/// A new fst is built when there are more new words than `MIN_FRESH` and one for each `FRESH_SHARE` words of the fst together.
const MIN_FRESH: usize = 2_048;
const FRESH_SHARE: usize = 64;

/// Words and their postings. Clones share almost everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermDictionary {
    /// The numbers of most words.
    base: Arc<Map<Vec<u8>>>,
    /// The numbers of words that are new since `base` was built.
    fresh: Arc<BTreeMap<Arc<str>, u32>>,
    /// By the numbers of the words.
    postings: Vector<Arc<Posting>>,
}

/// A word of listings that a word of a query stands for.
#[derive(Debug)]
pub(crate) struct Match<'a> {
    pub(crate) docs: &'a Posting,
    pub(crate) closeness: Closeness,
}

/// Closeness of the word itself, and of one of which the query has the beginning.
const WHOLE: Closeness = Closeness { edits: 0, is_beginning: false };
const BEGINNING: Closeness = Closeness { is_beginning: true, ..WHOLE };

impl TermDictionary {
    /// Builds a dictionary from the docs of each word. The words are in ascending order.
    pub(crate) fn build(words: Vec<(String, FieldDocs)>) -> Result<Self, fst::Error> {
        let mut builder = MapBuilder::memory();
        for (number, (word, _)) in (0..).zip(&words) {
            builder.insert(word, number)?;
        }
        let postings = words.into_par_iter().map(|(_, docs)| Arc::new(Posting::new(docs)));
        Ok(Self {
            base: Arc::new(Map::new(builder.into_inner()?)?),
            fresh: Arc::default(),
            postings: postings.collect::<Vec<_>>().into(),
        })
    }

    fn number(&self, word: &str) -> Option<u32> {
        let base = self.base.get(word).and_then(|number| u32::try_from(number).ok());
        base.or_else(|| self.fresh.get(word).copied())
    }

    /// Updates the postings for a document that had the words `had` and now has `has`. A new document had none; a removed one has none.
    pub(crate) fn update(&mut self, doc: u32, had: &Words, has: &Words) {
        for (word, field) in had.iter() {
            if has.get(word) != Some(field) {
                self.remove(word, field, doc);
            }
        }
        for (word, field) in has.iter() {
            if had.get(word) != Some(field) {
                self.insert(word, field, doc);
            }
        }
    }

    fn insert(&mut self, word: &str, field: Field, doc: u32) {
        let number = self.number(word).unwrap_or_else(|| {
            // As many words as fit into memory fit into a number.
            let number = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
            self.postings.push_back(Arc::default());
            Arc::make_mut(&mut self.fresh).insert(word.into(), number);
            number
        });
        if let Some(posting) = self.postings.get_mut(number as usize) {
            Arc::make_mut(posting).insert(field, doc);
        }
    }

    fn remove(&mut self, word: &str, field: Field, doc: u32) {
        let number = self.number(word);
        if let Some(posting) = number.and_then(|number| self.postings.get_mut(number as usize)) {
            Arc::make_mut(posting).remove(field, doc);
        }
    }

    /// The words of docs that begin with `prefix`.
    pub(crate) fn beginning_with(&self, prefix: &str) -> Vec<Match<'_>> {
        let mut found = Vec::new();
        let closeness = |word: &[u8]| {
            if word.len() == prefix.len() { WHOLE } else { BEGINNING }
        };
        let mut base = self.base.range().ge(prefix).into_stream();
        while let Some((word, number)) = base.next() {
            if !word.starts_with(prefix.as_bytes()) {
                break;
            }
            let number = u32::try_from(number).ok();
            found.extend(number.and_then(|number| self.matching(number, closeness(word))));
        }
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let fresh =
            self.fresh.range::<str, _>(from).take_while(|(word, _)| word.starts_with(prefix));
        found.extend(
            fresh.filter_map(|(word, number)| self.matching(*number, closeness(word.as_bytes()))),
        );
        found
    }

    /// The words of docs that a misspelled word may stand for.
    pub(crate) fn similar_to(&self, misspelled: &Misspelled<'_>) -> Vec<Match<'_>> {
        let mut found = Vec::new();
        let mut base = self.base.search(misspelled.automaton()).into_stream();
        while let Some((word, number)) = base.next() {
            let closeness = std::str::from_utf8(word).ok();
            let closeness = closeness.and_then(|word| misspelled.closeness(word));
            let number = u32::try_from(number).ok();
            found.extend(
                closeness
                    .zip(number)
                    .and_then(|(closeness, number)| self.matching(number, closeness)),
            );
        }
        found.extend(
            self.fresh
                .iter()
                .filter_map(|(word, number)| self.matching(*number, misspelled.closeness(word)?)),
        );
        found
    }

    /// The match of the word with this number, if any doc has the word: the fst keeps words whose docs were removed.
    fn matching(&self, number: u32, closeness: Closeness) -> Option<Match<'_>> {
        let docs = self.postings.get(number as usize)?.as_ref();
        (!docs.is_empty()).then_some(Match { docs, closeness })
    }

    /// Moves the new words into the fst if they are many.
    pub(crate) fn flush(&mut self) -> Result<(), fst::Error> {
        if self.fresh.len() > MIN_FRESH + self.base.len() / FRESH_SHARE {
            *self = self.merged()?;
        }
        Ok(())
    }

    /// The same dictionary with all words in the fst, numbered in their order. Words that no document has are left out.
    fn merged(&self) -> Result<Self, fst::Error> {
        let mut builder = MapBuilder::memory();
        let mut postings = Vector::new();
        let mut push = |word: &[u8], number: u32| {
            let posting = self.postings.get(number as usize);
            if let Some(posting) = posting.filter(|posting| !posting.is_empty()) {
                builder.insert(word, postings.len() as u64)?;
                postings.push_back(Arc::clone(posting));
            }
            Ok::<(), fst::Error>(())
        };
        let mut fresh = self.fresh.iter().peekable();
        let mut base = self.base.stream();
        while let Some((word, number)) = base.next() {
            while let Some((new, number)) = fresh.next_if(|(new, _)| new.as_bytes() < word) {
                push(new.as_bytes(), *number)?;
            }
            push(word, u32::try_from(number).unwrap_or(u32::MAX))?;
        }
        for (new, number) in fresh {
            push(new.as_bytes(), *number)?;
        }
        Ok(Self {
            base: Arc::new(Map::new(builder.into_inner()?)?),
            fresh: Arc::default(),
            postings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::words::from_texts;
    use crate::index::doc_set::DocSet;
    use crate::index::words::postings::Union;

    fn docs_of<'a>(
        matches: &[Match<'a>],
        sets: impl Fn(&'a Posting) -> Vec<&'a DocSet>,
    ) -> Vec<u32> {
        let mut union = Union::new(None);
        for set in matches.iter().flat_map(|found| sets(found.docs)) {
            union.add(set);
        }
        union.finish().into_iter().collect()
    }

    fn every(docs: &Posting) -> Vec<&DocSet> {
        docs.every().iter().collect()
    }

    fn docs(dictionary: &TermDictionary, prefix: &str) -> Vec<u32> {
        docs_of(&dictionary.beginning_with(prefix), every)
    }

    fn one(word: &str) -> Words {
        from_texts([(Field::Tagline, word)])
    }

    #[test]
    fn words_are_found_by_prefix_before_and_after_they_are_merged() {
        let mut dictionary = TermDictionary::default();
        let none = Words::default();
        for (doc, word) in [(1, "lagos"), (2, "lamu"), (3, "zulu"), (4, "lagoon"), (5, "gone")] {
            dictionary.update(doc, &none, &one(word));
        }
        dictionary.update(5, &one("gone"), &none);
        let mut merged = dictionary.merged().unwrap();
        assert_eq!(merged.base.len(), 4);
        for dictionary in [&dictionary, &merged] {
            assert_eq!(docs(dictionary, "lag"), [1, 4]);
            assert_eq!(docs(dictionary, "la"), [1, 2, 4]);
            assert_eq!(docs(dictionary, "l"), [1, 2, 4]);
            assert_eq!(docs(dictionary, "zulu"), [3]);
            assert_eq!(docs(dictionary, "zulus"), [0; 0]);
            assert_eq!(docs(dictionary, "gone"), [0; 0]);
            assert_eq!(docs(dictionary, "g"), [0; 0]);
        }
        merged.update(6, &none, &one("lab"));
        merged.update(7, &none, &one("lagos"));
        merged.update(2, &one("lamu"), &one("lala"));
        merged.update(8, &none, &one("gone"));
        for dictionary in [&merged, &merged.merged().unwrap()] {
            assert_eq!(docs(dictionary, "la"), [1, 2, 4, 6, 7]);
            assert_eq!(docs(dictionary, "lag"), [1, 4, 7]);
            assert_eq!(docs(dictionary, "g"), [8]);
        }
    }

    #[test]
    fn a_misspelled_word_matches_only_words_that_docs_have() {
        let mut dictionary = TermDictionary::default();
        let none = Words::default();
        for (doc, word) in [(1, "lagos"), (2, "lagoons"), (3, "lamu"), (4, "logos")] {
            dictionary.update(doc, &none, &one(word));
        }
        let similar = |dictionary: &TermDictionary, word: &str| {
            let misspelled = Misspelled::new(word, true, 1);
            docs_of(&dictionary.similar_to(&misspelled), every)
        };
        let mut merged = dictionary.merged().unwrap();
        for dictionary in [&mut dictionary, &mut merged] {
            // `lagoo`, a prefix of `lagoons`, is one edit from `lagso`.
            assert_eq!(similar(dictionary, "lagso"), [1, 2]);
            assert_eq!(similar(dictionary, "lgoos"), [4]);
            // The fst keeps a word that no doc has any more; such a word is not a candidate.
            dictionary.update(1, &one("lagos"), &none);
            assert_eq!(similar(dictionary, "lagso"), [2]);
            assert_eq!(docs(dictionary, "lagos"), [0; 0]);
            dictionary.update(1, &none, &one("lagos"));
            assert_eq!(similar(dictionary, "lagso"), [1, 2]);
        }
    }

    #[test]
    fn many_new_words_are_merged() {
        let mut dictionary = TermDictionary::default();
        for doc in 0..3_000 {
            dictionary.update(doc, &Words::default(), &one(&format!("word{doc}")));
        }
        dictionary.flush().unwrap();
        assert_eq!((dictionary.fresh.len(), dictionary.base.len()), (0, 3_000));
        assert_eq!(docs(&dictionary, "word2999"), [2_999]);
        assert_eq!(docs(&dictionary, "word"), (0..3_000).collect::<Vec<u32>>());
    }
}
