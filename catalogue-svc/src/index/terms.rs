//! The words of a query in one index or several: what each stands for, and which documents have them all.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roaring::RoaringBitmap;

use super::postings::{DocSet, Union};
use super::term_dictionary::{Match, TermDictionary};
use super::work::Work;
use crate::domain::typo::{Misspelled, most_edits};

/// Which words of a query may be misspelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgive {
    /// Those that begin no word of a listing. Each stands for the nearest words that there are.
    Unknown,
    /// All. Each stands for what begins with it and for all that is near: one edit away if anything begins with it.
    All,
}

impl Forgive {
    /// One after the other, until something is found.
    pub(super) const STEPS: [Self; 2] = [Self::Unknown, Self::All];
}

/// What the words of a query stand for in one index, the most selective word first.
#[derive(Debug)]
pub(super) struct Terms<'a>(Vec<Vec<Match<'a>>>);

/// What the words of a query stand for in each of these dictionaries, which together say whether a word is known. `None`: one of them
/// stands for nothing in any of them, whatever is forgiven.
pub(super) fn terms<'a, const N: usize>(
    dictionaries: [&'a TermDictionary; N],
    words: &BTreeSet<String>,
    forgive: Forgive,
) -> Option<[Terms<'a>; N]> {
    let mut terms = dictionaries.map(|_| Terms(Vec::with_capacity(words.len())));
    for word in words {
        let mut matches = dictionaries.map(|dictionary| dictionary.beginning_with(word));
        let is_known = matches.iter().any(|matches| !matches.is_empty());
        for edits in 1..=most_edits(word, words.len() == 1) {
            let is_wanted = match forgive {
                Forgive::Unknown => matches.iter().all(Vec::is_empty),
                Forgive::All => edits == 1 || !is_known,
            };
            if is_wanted {
                let misspelled = Misspelled::new(word, words.len() == 1, edits);
                for (matches, dictionary) in matches.iter_mut().zip(dictionaries) {
                    matches.extend(dictionary.similar_to(&misspelled));
                }
            }
        }
        if matches.iter().all(Vec::is_empty) {
            return None;
        }
        for (terms, matches) in terms.iter_mut().zip(matches) {
            terms.0.push(matches);
        }
    }
    for Terms(terms) in &mut terms {
        terms.sort_by_cached_key(|matches| {
            matches.iter().map(|found| found.docs.len()).sum::<u64>()
        });
    }
    Some(terms)
}

impl<'a> Terms<'a> {
    /// The docs, of those `within` if given, that have all words somewhere. It ends when none is left.
    pub(super) fn docs(&self, within: Option<&RoaringBitmap>, work: &mut Work) -> RoaringBitmap {
        if self.0.iter().any(Vec::is_empty) {
            return RoaringBitmap::new();
        }
        self.intersect(u8::MAX, within, work, |found| found.docs.every())
    }

    /// The docs of those `within` that have all words in the title, with so many edits at most.
    pub(super) fn in_title(
        &self,
        edits: u8,
        within: &RoaringBitmap,
        work: &mut Work,
    ) -> RoaringBitmap {
        self.intersect(edits, Some(within), work, |found| {
            std::slice::from_ref(found.docs.title())
        })
    }

    /// The docs of those `within` whose title starts with one of the words, with so many edits at most.
    pub(super) fn starting(
        &self,
        edits: u8,
        within: &RoaringBitmap,
        work: &mut Work,
    ) -> RoaringBitmap {
        let mut union = Union::default();
        if !within.is_empty() {
            for found in self.within_edits(edits).flatten() {
                work.postings += 1;
                union.add(found.docs.title_start(), Some(within));
            }
        }
        union.finish()
    }

    /// The docs of those `within` in which all words are whole words, with so many edits at most.
    pub(super) fn whole(
        &self,
        edits: u8,
        within: &RoaringBitmap,
        work: &mut Work,
    ) -> RoaringBitmap {
        self.intersect(edits, Some(within), work, |found| {
            if found.closeness.is_beginning {
                &[]
            } else {
                found.docs.every()
            }
        })
    }

    /// The docs that are in one of these sets of each word.
    fn intersect(
        &self,
        edits: u8,
        within: Option<&RoaringBitmap>,
        work: &mut Work,
        sets: impl Fn(&Match<'a>) -> &'a [DocSet],
    ) -> RoaringBitmap {
        let mut left = within.map(Cow::Borrowed);
        for matches in self.within_edits(edits) {
            let within = left.as_deref();
            if within.is_some_and(RoaringBitmap::is_empty) {
                break;
            }
            let mut union = Union::default();
            for found in matches {
                work.postings += 1;
                union.extend(sets(found), within);
            }
            left = Some(Cow::Owned(union.finish()));
        }
        left.unwrap_or_default().into_owned()
    }

    /// For each word the matches that need so many edits at most.
    pub(super) fn within_edits(
        &self,
        edits: u8,
    ) -> impl Iterator<Item = impl Iterator<Item = &Match<'a>>> {
        self.0.iter().map(move |matches| {
            matches
                .iter()
                .filter(move |found| found.closeness.edits <= edits)
        })
    }
}
