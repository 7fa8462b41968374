//! The words of a query in one index or several: what each stands for, and which documents have them all.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roaring::RoaringBitmap;

use super::postings::{DocSet, Union};
use super::term_dictionary::{Match, TermDictionary};
use crate::domain::typo::{MAX_FORGIVEN, Misspelled, most_edits};

/// Which words of a query may be misspelled: [`MAX_FORGIVEN`] at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forgive {
    /// Those that begin no word of a listing. Each stands for the nearest words that there are.
    Unknown,
    /// The rarest of the others too. Each stands for what begins with it and for all that is one edit away.
    Rarest,
}

impl Forgive {
    /// One after the other, until something is found.
    pub(super) const STEPS: [Self; 2] = [Self::Unknown, Self::Rarest];
}

/// What the words of a query stand for in one index, the most selective word first.
#[derive(Debug)]
pub(super) struct Terms<'a>(Vec<Vec<Match<'a>>>);

/// What a word of a query stands for in each dictionary.
struct Term<'a, 'q, const N: usize> {
    word: &'q str,
    matches: [Vec<Match<'a>>; N],
}

/// What the words of a query stand for in each of these dictionaries, which together say whether a word is known. `None`: one of them
/// stands for nothing in any of them, whatever is forgiven. Also returns whether a word was forgiven.
pub(super) fn terms<'a, const N: usize>(
    dictionaries: [&'a TermDictionary; N],
    words: &BTreeSet<String>,
    forgive: Forgive,
) -> Option<([Terms<'a>; N], bool)> {
    let term = |word| Term {
        word,
        matches: dictionaries.map(|dictionary| dictionary.beginning_with(word)),
    };
    let mut found: Vec<Term<'a, '_, N>> = words.iter().map(|word| term(word)).collect();
    // Unknown words have no docs and come first.
    found.sort_by_cached_key(Term::docs);
    let is_alone = words.len() == 1;
    let forgivable = |term: &Term<'_, '_, N>| most_edits(term.word, is_alone) > 0;
    let unknown = found.partition_point(|term| !term.is_known());
    if unknown > MAX_FORGIVEN || !found[..unknown].iter().all(forgivable) {
        return None;
    }
    let others = match forgive {
        Forgive::Unknown => 0,
        Forgive::Rarest => MAX_FORGIVEN - unknown,
    };
    let (unknown, known) = found.split_at_mut(unknown);
    let mut has_forgiven = !unknown.is_empty();
    for term in unknown {
        for edits in 1..=most_edits(term.word, is_alone) {
            if forgive == Forgive::Rarest || !term.is_known() {
                term.forgive(dictionaries, is_alone, edits);
            }
        }
        if !term.is_known() {
            return None;
        }
    }
    for term in known
        .iter_mut()
        .filter(|term| forgivable(term))
        .take(others)
    {
        term.forgive(dictionaries, is_alone, 1);
        has_forgiven = true;
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
    Some((terms, has_forgiven))
}

impl<'a, const N: usize> Term<'a, '_, N> {
    fn is_known(&self) -> bool {
        !self.matches.iter().all(Vec::is_empty)
    }

    /// How many docs it stands for. A doc with several words counts several times.
    fn docs(&self) -> u64 {
        self.matches.iter().map(|matches| docs(matches)).sum()
    }

    /// Adds the words that are so many edits away.
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
    /// The docs, of those `within` if given, that have all words somewhere. It ends when none is left.
    pub(super) fn docs(&self, within: Option<&RoaringBitmap>) -> RoaringBitmap {
        if self.0.iter().any(Vec::is_empty) {
            return RoaringBitmap::new();
        }
        self.intersect(u8::MAX, within, |found| found.docs.every())
    }

    /// The docs of those `within` that have all words in the title, with so many edits at most.
    pub(super) fn in_title(&self, edits: u8, within: &RoaringBitmap) -> RoaringBitmap {
        self.intersect(edits, Some(within), |found| {
            std::slice::from_ref(found.docs.title())
        })
    }

    /// The docs of those `within` whose title starts with one of the words, with so many edits at most.
    pub(super) fn starting(&self, edits: u8, within: &RoaringBitmap) -> RoaringBitmap {
        let mut union = Union::default();
        if !within.is_empty() {
            for found in self.within_edits(edits).flatten() {
                union.add(found.docs.title_start(), Some(within));
            }
        }
        union.finish()
    }

    /// The docs of those `within` in which all words are whole words, with so many edits at most.
    pub(super) fn whole(&self, edits: u8, within: &RoaringBitmap) -> RoaringBitmap {
        self.intersect(edits, Some(within), |found| {
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
