//! The words of a query in one index or several: what each stands for, and which documents have them all.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roaring::RoaringBitmap;

use super::postings::Union;
use super::term_dictionary::{Match, TermDictionary};
use crate::domain::typo::{MAX_FORGIVEN, Misspelled, most_edits};
use crate::index::doc_set::DocSet;

/// The matches of each word of a query in one index, the most selective word first.
#[derive(Debug)]
pub(crate) struct Terms<'a>(Vec<Vec<Match<'a>>>);

/// A word of a query, and its matches in each dictionary.
struct Term<'a, 'q, const N: usize> {
    word: &'q str,
    matches: [Vec<Match<'a>>; N],
}

/// The matches of the words of a query in each of these dictionaries. A word is known if any of the dictionaries has it; with `forgive` each
/// unknown word stands for the nearest words. Returns `None` if a word matches nothing in any of them.
pub(crate) fn terms<'a, const N: usize>(
    dictionaries: [&'a TermDictionary; N],
    words: &BTreeSet<String>,
    forgive: bool,
) -> Option<[Terms<'a>; N]> {
    let term = |word| Term {
        word,
        matches: dictionaries.map(|dictionary| dictionary.beginning_with(word)),
    };
    let mut found: Vec<Term<'a, '_, N>> = words.iter().map(|word| term(word)).collect();
    let is_alone = words.len() == 1;
    let unknown: Vec<&mut Term<'a, '_, N>> =
        found.iter_mut().filter(|term| !term.is_known()).collect();
    // Before any automaton is built, which takes milliseconds.
    let most = if forgive { MAX_FORGIVEN } else { 0 };
    let mut edits = unknown.iter().map(|term| most_edits(term.word, is_alone));
    if unknown.len() > most || edits.any(|edits| edits == 0) {
        return None;
    }
    for term in unknown {
        for edits in 1..=most_edits(term.word, is_alone) {
            if !term.is_known() {
                term.forgive(dictionaries, is_alone, edits);
            }
        }
        if !term.is_known() {
            return None;
        }
    }
    let mut terms = dictionaries.map(|_| Terms(Vec::with_capacity(words.len())));
    for term in found {
        for (terms, matches) in terms.iter_mut().zip(term.matches) {
            terms.0.push(matches);
        }
    }
    for Terms(terms) in &mut terms {
        terms.sort_by_cached_key(|matches| docs(matches));
    }
    Some(terms)
}

impl<'a, const N: usize> Term<'a, '_, N> {
    fn is_known(&self) -> bool {
        !self.matches.iter().all(Vec::is_empty)
    }

    /// Adds the words that are `edits` edits away.
    fn forgive(&mut self, dictionaries: [&'a TermDictionary; N], is_alone: bool, edits: u8) {
        let misspelled = Misspelled::new(self.word, is_alone, edits);
        for (matches, dictionary) in self.matches.iter_mut().zip(dictionaries) {
            matches.extend(dictionary.similar_to(&misspelled));
        }
    }
}

fn docs(matches: &[Match<'_>]) -> u64 {
    matches.iter().map(|found| found.docs.len()).sum()
}

impl<'a> Terms<'a> {
    /// The docs that have all words in any field.
    pub(crate) fn docs(&self) -> RoaringBitmap {
        if self.0.iter().any(Vec::is_empty) {
            return RoaringBitmap::new();
        }
        self.intersect(u8::MAX, None, |found| found.docs.every())
    }

    /// The docs of `within` that have all words in the title, each with at most `edits` edits.
    pub(crate) fn in_title(&self, edits: u8, within: &RoaringBitmap) -> RoaringBitmap {
        self.intersect(edits, Some(within), |found| std::slice::from_ref(found.docs.title()))
    }

    /// The docs of `within` that have all words as whole words, each with at most `edits` edits.
    pub(crate) fn whole(&self, edits: u8, within: &RoaringBitmap) -> RoaringBitmap {
        self.intersect(edits, Some(within), |found| {
            if found.closeness.is_beginning { &[] } else { found.docs.every() }
        })
    }

    /// The docs that, for each word, are in any of the `sets` of its matches with at most `edits` edits.
    fn intersect(
        &self,
        edits: u8,
        within: Option<&RoaringBitmap>,
        sets: impl Fn(&Match<'a>) -> &'a [DocSet],
    ) -> RoaringBitmap {
        let mut left = within.map(Cow::Borrowed);
        for matches in self.within_edits(edits) {
            let within = left.as_deref();
            if within.is_some_and(RoaringBitmap::is_empty) {
                break;
            }
            let mut union = Union::new(within);
            for found in matches {
                union.extend(sets(found));
            }
            left = Some(Cow::Owned(union.finish()));
        }
        left.unwrap_or_default().into_owned()
    }

    /// For each word, the matches with at most `edits` edits.
    pub(crate) fn within_edits(
        &self,
        edits: u8,
    ) -> impl Iterator<Item = impl Iterator<Item = &Match<'a>>> {
        self.0
            .iter()
            .map(move |matches| matches.iter().filter(move |found| found.closeness.edits <= edits))
    }
}
