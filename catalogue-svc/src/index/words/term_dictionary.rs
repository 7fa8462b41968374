//! The words of an index: in which documents each stands.
//!
//! Most words are in a finite state transducer (fst), which is immutable. New words are in a small sorted map; when they are many, a new fst
//! is built from both. Fst and map lead from a word to its number, and the number leads to its posting, which can change.
//!
//! Thousands of words begin with the same letter. Prefixes of one and two characters have postings of their own, so that a query reads one posting for
//! them; the words of a longer prefix are few enough to read theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use fst::automaton::Str;
use fst::{Automaton, IntoStreamer as _, Map, MapBuilder, Streamer as _};
use imbl::{OrdMap, Vector};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::postings::{FieldDocs, Posting, PostingField};
use crate::domain::typo::{Closeness, Misspelled};
use crate::domain::words::Words;

/// A new fst is built when there are more new words than `MIN_FRESH` and one for each `FRESH_SHARE` words of the fst together.
const MIN_FRESH: usize = 2_048;
const FRESH_SHARE: usize = 64;
/// Prefixes of up to this number of characters have postings.
const SHORT: usize = 2;

/// Words and their postings. Clones share almost everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermDictionary {
    /// The numbers of most words.
    base: Arc<Map<Vec<u8>>>,
    /// The numbers of words that are new since `base` was built.
    fresh: Arc<BTreeMap<Arc<str>, u32>>,
    /// By the numbers of the words.
    postings: Vector<Arc<Posting>>,
    /// The docs that have a word with a short prefix, by the prefix. A word is also a prefix of itself.
    prefixes: OrdMap<Box<str>, Arc<Posting>>,
}

/// A term that has a posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term<'a> {
    Word(&'a str),
    Prefix(&'a str),
}

/// The postings that contain a doc with these words. A set: two words may have the same prefix.
fn terms(words: &Words) -> BTreeSet<(Term<'_>, PostingField)> {
    let fields = words.iter().flat_map(|(word, field)| {
        let fields = PostingField::for_field(field).iter();
        fields.map(move |field| (word, *field))
    });
    let terms = fields.flat_map(|(word, field)| {
        let prefixes = (1..=SHORT).filter_map(|length| Some(Term::Prefix(prefix(word, length)?)));
        prefixes.chain([Term::Word(word)]).map(move |term| (term, field))
    });
    terms.collect()
}

/// The first `length` characters of a word that has so many.
fn prefix(word: &str, length: usize) -> Option<&str> {
    let (last, letter) = word.char_indices().nth(length - 1)?;
    Some(&word[..last + letter.len_utf8()])
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
        let (words, docs): (Vec<String>, Vec<FieldDocs>) = words.into_iter().unzip();
        let postings: Vec<_> =
            docs.into_par_iter().map(|docs| Arc::new(Posting::new(docs))).collect();
        Ok(Self {
            base: Arc::new(Map::new(builder.into_inner()?)?),
            fresh: Arc::default(),
            prefixes: prefix_postings(&words, &postings),
            postings: postings.into(),
        })
    }

    fn number(&self, word: &str) -> Option<u32> {
        let base = self.base.get(word).and_then(|number| u32::try_from(number).ok());
        base.or_else(|| self.fresh.get(word).copied())
    }

    /// Updates the postings for a document that had the words `had` and now has `has`. A new document had none; a removed one has none.
    pub(crate) fn update(&mut self, doc: u32, had: &Words, has: &Words) {
        let (had, has) = (terms(had), terms(has));
        for (term, field) in had.difference(&has) {
            self.posting_mut(*term).remove(*field, doc);
        }
        for (term, field) in has.difference(&had) {
            self.posting_mut(*term).insert(*field, doc);
        }
    }

    fn posting_mut(&mut self, term: Term<'_>) -> &mut Posting {
        let posting = match term {
            Term::Prefix(prefix) => self.prefixes.entry(prefix.into()).or_default(),
            Term::Word(word) => {
                let number = self.number(word).unwrap_or_else(|| {
                    // As many words as fit into memory fit into a number.
                    let number = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
                    self.postings.push_back(Arc::default());
                    Arc::make_mut(&mut self.fresh).insert(word.into(), number);
                    number
                });
                &mut self.postings[number as usize]
            }
        };
        Arc::make_mut(posting)
    }

    /// The words of docs that begin with `prefix`.
    pub(crate) fn beginning_with(&self, prefix: &str) -> Vec<Match<'_>> {
        if prefix.chars().count() <= SHORT {
            let whole = self.number(prefix).and_then(|number| self.matching(number, WHOLE));
            let posting = self.prefixes.get(prefix).filter(|docs| !docs.is_empty());
            let beginning = posting.map(|docs| Match { docs, closeness: BEGINNING });
            return whole.into_iter().chain(beginning).collect();
        }
        let closeness =
            |word: &str| Some(if word.len() == prefix.len() { WHOLE } else { BEGINNING });
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let fresh =
            self.fresh.range::<str, _>(from).take_while(|(word, _)| word.starts_with(prefix));
        self.matches(Str::new(prefix).starts_with(), fresh, closeness)
    }

    /// The words of docs that a misspelled word may stand for.
    pub(crate) fn similar_to(&self, misspelled: &Misspelled<'_>) -> Vec<Match<'_>> {
        self.matches(misspelled.automaton(), self.fresh.iter(), |word| misspelled.closeness(word))
    }

    /// The words of docs, of those that the automaton accepts and of these new ones, that have a closeness.
    fn matches<'a>(
        &'a self,
        automaton: impl Automaton,
        fresh: impl Iterator<Item = (&'a Arc<str>, &'a u32)>,
        closeness: impl Fn(&str) -> Option<Closeness>,
    ) -> Vec<Match<'a>> {
        let mut found = Vec::new();
        let mut base = self.base.search(automaton).into_stream();
        while let Some((word, number)) = base.next() {
            let closeness = std::str::from_utf8(word).ok().and_then(&closeness);
            let number = u32::try_from(number).ok();
            found.extend(
                number.zip(closeness).and_then(|(it, closeness)| self.matching(it, closeness)),
            );
        }
        found.extend(fresh.filter_map(|(word, number)| self.matching(*number, closeness(word)?)));
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
        let mut words = self.base.stream().into_byte_vec();
        let fresh = self.fresh.iter();
        words.extend(fresh.map(|(word, number)| (word.as_bytes().into(), u64::from(*number))));
        words.sort_unstable();
        let mut builder = MapBuilder::memory();
        let mut postings = Vector::new();
        for (word, number) in words {
            let posting = usize::try_from(number).ok().and_then(|it| self.postings.get(it));
            if let Some(posting) = posting.filter(|posting| !posting.is_empty()) {
                builder.insert(word, postings.len() as u64)?;
                postings.push_back(Arc::clone(posting));
            }
        }
        Ok(Self {
            base: Arc::new(Map::new(builder.into_inner()?)?),
            fresh: Arc::default(),
            postings,
            prefixes: (self.prefixes.iter().filter(|(_, docs)| !docs.is_empty()))
                .map(|(prefix, docs)| (prefix.clone(), Arc::clone(docs)))
                .collect(),
        })
    }
}

/// The postings of the short prefixes of these words, which are in ascending order.
fn prefix_postings(words: &[String], postings: &[Arc<Posting>]) -> OrdMap<Box<str>, Arc<Posting>> {
    let mut prefixes = OrdMap::new();
    for length in 1..=SHORT {
        let mut first = 0;
        for group in words.chunk_by(|one, other| prefix(one, length) == prefix(other, length)) {
            let end = first + group.len();
            if let Some(prefix) = group.first().and_then(|word| prefix(word, length)) {
                let docs = Posting::union(&postings[first..end]);
                prefixes.insert(prefix.into(), Arc::new(docs));
            }
            first = end;
        }
    }
    prefixes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::words::{Field, from_texts};
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

    /// The docs of a letter and of two, by the field that has a word which begins so.
    fn by_field(dictionary: &TermDictionary) -> [Vec<u32>; 6] {
        let of = |prefix, sets: fn(&Posting) -> Vec<&DocSet>| {
            docs_of(&dictionary.beginning_with(prefix), sets)
        };
        let [title, tagline, associated]: [fn(&Posting) -> Vec<&DocSet>; 3] = [
            |docs| vec![docs.title()],
            |docs| vec![docs.tagline()],
            |docs| vec![docs.associated()],
        ];
        [
            of("l", title),
            of("l", tagline),
            of("l", associated),
            of("la", title),
            of("la", tagline),
            of("la", associated),
        ]
    }

    #[test]
    fn a_doc_has_a_short_prefix_while_one_of_its_words_begins_with_it() {
        let words = |title, tagline, associated| {
            from_texts([
                (Field::Title, title),
                (Field::Tagline, tagline),
                (Field::Associated, associated),
            ])
        };
        let one = words("Lagos Lamu L", "lute lagoon", "Lome Lagoon");
        let all = [(1, words("Lamu", "lute", "Lome")), (2, words("Lute", "", "Lamu"))];
        let mut dictionary = TermDictionary::default();
        dictionary.update(1, &Words::default(), &one);
        assert_eq!(by_field(&dictionary), [1, 1, 1, 1, 1, 1].map(|doc| vec![doc]));
        dictionary.update(1, &one, &all[0].1);
        dictionary.update(2, &Words::default(), &all[1].1);
        let mut docs = BTreeMap::<String, FieldDocs>::new();
        for (doc, words) in &all {
            for (word, field) in words.iter() {
                docs.entry(word.to_owned()).or_default().push(field, *doc);
            }
        }
        let built = TermDictionary::build(docs.into_iter().collect()).unwrap();
        let expected = [vec![1, 2], vec![1], vec![1, 2], vec![1], vec![], vec![2]];
        for dictionary in [&dictionary, &built, &dictionary.merged().unwrap()] {
            assert_eq!(by_field(dictionary), expected);
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
