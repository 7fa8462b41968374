//! Typo tolerance: which words of listings a misspelled word of a query matches.
//!
//! An edit is an extra letter, a missing letter, a wrong letter, or a swap of two neighbours. A word matches words that are one edit away, and
//! with eight letters or more also words two edits away. The longer of the two words has at least five letters; if the query has other words,
//! which also narrow the result, four. A word of five letters or more also matches the words of which a prefix is one edit away. Numbers
//! tolerate no edit: another year is another event.

use std::sync::LazyLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};

/// The most words of a query in which typos are forgiven: the automata of a long word take a millisecond and megabytes.
pub const MAX_FORGIVEN: usize = 2;
/// A word with this many letters or more may have two edits.
const TWO_EDITS: usize = 8;
/// A word with this many letters or more may be a misspelled prefix.
const BEGINNING: usize = 5;
/// A longer word may have no edit. The memory of an automaton grows with the letters of the word: with this many it takes some megabytes.
const LONGEST: usize = 24;

/// Builders of automata for one edit and for two.
static BUILDERS: [LazyLock<LevenshteinAutomatonBuilder>; 2] = [
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true)),
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true)),
];

/// How close a word of a listing is to a word of the query. Closer is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closeness {
    /// The number of edits between them.
    pub edits: u8,
    /// Whether the word of the query is only a prefix of the listing's word.
    pub is_beginning: bool,
}

/// The most edits that a word of a query may have. `is_alone`: it is the only word.
pub fn most_edits(word: &str, is_alone: bool) -> u8 {
    let letters = word.chars().count();
    // A letter may have been left out.
    if !is_text(word) || letters + 1 < shortest(is_alone) || letters > LONGEST {
        0
    } else if letters < TWO_EDITS {
        1
    } else {
        2
    }
}

fn shortest(is_alone: bool) -> usize {
    if is_alone { 5 } else { 4 }
}

fn is_text(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// Matches words that are a number of edits away from a word of a query.
#[expect(missing_debug_implementations, reason = "an automaton is a table of thousands of numbers")]
pub struct Misspelled<'a> {
    word: &'a str,
    edits: u8,
    letters: usize,
    /// The least letters of the longer of the two words.
    shortest: usize,
    whole: DFA,
    beginning: Option<DFA>,
}

impl<'a> Misspelled<'a> {
    /// Matches words that are `edits` edits away from `word`. The caller checks that [`most_edits`] allows them.
    pub fn new(word: &'a str, is_alone: bool, edits: u8) -> Self {
        let builder = &BUILDERS[usize::from(edits > 1)];
        let letters = word.chars().count();
        Self {
            word,
            edits,
            letters,
            shortest: shortest(is_alone),
            whole: builder.build_dfa(word),
            beginning: (edits == 1 && letters >= BEGINNING).then(|| builder.build_prefix_dfa(word)),
        }
    }

    /// An automaton that accepts every word for which [`Self::closeness`] is `Some`, and a few others.
    pub fn automaton(&self) -> &DFA {
        self.beginning.as_ref().unwrap_or(&self.whole)
    }

    /// The closeness of a word, if it is the given number of edits away. `None` also for a word that begins with the word of the query: it
    /// matches without edits.
    pub fn closeness(&self, word: &str) -> Option<Closeness> {
        if word.starts_with(self.word)
            || !is_text(word)
            || self.letters.max(word.chars().count()) < self.shortest
        {
            return None;
        }
        let is_near =
            |dfa: &DFA| matches!(dfa.eval(word), Distance::Exact(edits) if edits == self.edits);
        let closeness = |is_beginning| Closeness { edits: self.edits, is_beginning };
        if is_near(&self.whole) {
            return Some(closeness(false));
        }
        let beginning = self.beginning.as_ref();
        beginning.is_some_and(is_near).then(|| closeness(true))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn closeness(asked: &str, is_alone: bool, word: &str) -> Option<(u8, bool)> {
        (1..=most_edits(asked, is_alone)).find_map(|edits| {
            let misspelled = Misspelled::new(asked, is_alone, edits);
            let found = misspelled.closeness(word)?;
            Some((found.edits, found.is_beginning))
        })
    }

    #[test]
    fn every_kind_of_edit_counts_as_one() {
        for asked in ["lagoss", "lags", "lagis", "lagso", "algos"] {
            assert_eq!(closeness(asked, true, "lagos"), Some((1, false)), "{asked}");
        }
        assert_eq!(closeness("lgaso", true, "lagos"), None);
        // The limit counts characters, not bytes.
        assert_eq!(closeness("саванна", true, "саваннаа"), None);
        assert_eq!(closeness("савана", true, "саванна"), Some((1, false)));
    }

    #[test]
    fn short_words_are_corrected_only_next_to_other_words() {
        for (asked, word) in [("koar", "kora"), ("kra", "kora"), ("nill", "nil")] {
            assert_eq!(closeness(asked, true, word), None, "{asked}");
            assert_eq!(closeness(asked, false, word), Some((1, false)), "{asked}");
        }
        assert_eq!(closeness("nli", false, "nil"), None);
        // The longer of the two words decides.
        assert_eq!(closeness("lgos", true, "lagos"), Some((1, false)));
    }

    #[test]
    fn eight_letters_may_have_two_edits_and_five_may_be_a_misspelled_beginning() {
        for (asked, word, expected) in [
            ("niarboi", "nairobi", None),
            ("zavanaah", "savannah", Some((2, false))),
            ("mgad", "mogadishu", None),
            ("lagso", "lagosian", Some((1, true))),
        ] {
            assert_eq!(closeness(asked, true, word), expected, "{asked}");
        }
    }

    #[test]
    fn overlong_words_are_not_corrected() {
        let endless = "a".repeat(LONGEST);
        assert_eq!(most_edits(&endless, true), 2);
        assert_eq!(most_edits(&(endless + "a"), true), 0);
    }

    #[test]
    fn numbers_are_not_corrected() {
        assert_eq!(closeness("20192", true, "20191"), None);
        assert_eq!(closeness("ma3racr", true, "ma3racer"), None);
        assert_eq!(closeness("maracer", true, "ma3racer"), None);
    }

    proptest! {
        /// The automata compute the optimal string alignment distance: an edit or a swap of neighbours counts as one.
        #[test]
        fn closeness_equals_the_osa_distance(asked in "[abc]{4,9}", word in "[abc]{3,11}") {
            let most = usize::from(most_edits(&asked, false));
            let whole = strsim::osa_distance(&asked, &word);
            let mut beginnings = (0..=word.len()).map(|end| strsim::osa_distance(&asked, &word[..end]));
            let expected = match whole {
                _ if word.starts_with(&asked) => None,
                1 => Some((1, false)),
                _ if asked.len() >= BEGINNING && beginnings.any(|edits| edits == 1) => Some((1, true)),
                _ if whole <= most => Some((2, false)),
                _ => None,
            };
            prop_assert_eq!(closeness(&asked, false, &word), expected);
        }
    }
}
