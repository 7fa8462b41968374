//! What a misspelled word of a query may stand for.
//!
//! An edit is a letter too many, a letter left out, a wrong letter, or two neighbours that changed places. A word may be one edit from
//! the word that was meant, and two when it has eight letters or more. The longer of both has five letters at least; beside other words
//! of the query, which speak for the row too, four are enough. A word of five letters or more may also be a beginning that is one edit
//! from right. Numbers are never forgiven: another year is another event.

use std::sync::LazyLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};

/// Words of a query that are forgiven at most: the automata of a long one take a millisecond and megabytes.
pub const MAX_FORGIVEN: usize = 2;
/// Letters from which two edits are forgiven.
const TWO_EDITS: usize = 8;
/// Letters from which a beginning may be misspelled.
const BEGINNING: usize = 5;
/// Letters up to which anything is forgiven. The automaton of a word takes memory by its letters: for these, some megabytes.
const LONGEST: usize = 24;

/// What automata are made from, for one edit and for two.
static BUILDERS: [LazyLock<LevenshteinAutomatonBuilder>; 2] = [
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true)),
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true)),
];

/// How near a word of a listing is to the word that was asked for; the nearer is the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Closeness {
    /// How many edits they are apart.
    pub edits: u8,
    /// Whether only the beginning of the listing's word was asked for.
    pub is_beginning: bool,
}

/// How many edits are forgiven at most in a word of a query; `is_alone`: it is the only one.
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

/// The words that are so many edits from a word of a query.
#[expect(
    missing_debug_implementations,
    reason = "an automaton is a table of thousands of numbers"
)]
pub struct Misspelled<'a> {
    word: &'a str,
    edits: u8,
    letters: usize,
    /// Letters that the longer of the two words has at least.
    shortest: usize,
    whole: DFA,
    beginning: Option<DFA>,
}

impl<'a> Misspelled<'a> {
    /// Matches words that are `edits` away from `word`. The caller checks that [`most_edits`] allows so many.
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

    /// Accepts every word for which [`Self::closeness`] is some, and a few others.
    pub fn automaton(&self) -> &DFA {
        self.beginning.as_ref().unwrap_or(&self.whole)
    }

    /// How near a word is, if it may have been meant. A word that begins with what was asked for needs no forgiveness.
    pub fn closeness(&self, word: &str) -> Option<Closeness> {
        if word.starts_with(self.word)
            || !is_text(word)
            || self.letters.max(word.chars().count()) < self.shortest
        {
            return None;
        }
        let is_near =
            |dfa: &DFA| matches!(dfa.eval(word), Distance::Exact(edits) if edits == self.edits);
        let closeness = |is_beginning| Closeness {
            edits: self.edits,
            is_beginning,
        };
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
        // Letters are counted, not bytes.
        assert_eq!(closeness("саванна", true, "саваннаа"), None);
        assert_eq!(closeness("савана", true, "саванна"), Some((1, false)));
    }

    #[test]
    fn long_words_may_have_two() {
        assert_eq!(
            closeness("johanesbrug", true, "johannesburg"),
            Some((2, false))
        );
        assert_eq!(closeness("niarboi", true, "nairobi"), None);
        assert_eq!(closeness("jonhanesbrug", true, "johannesburg"), None);
    }

    #[test]
    fn short_words_need_others_beside_them() {
        for (asked, word) in [("koar", "kora"), ("kra", "kora"), ("nill", "nil")] {
            assert_eq!(closeness(asked, true, word), None, "{asked}");
            assert_eq!(closeness(asked, false, word), Some((1, false)), "{asked}");
        }
        assert_eq!(closeness("nli", false, "nil"), None);
        // The longer of the two decides.
        assert_eq!(closeness("lgos", true, "lagos"), Some((1, false)));
    }

    #[test]
    fn a_beginning_may_be_misspelled() {
        assert_eq!(closeness("niarob", true, "nairobi"), Some((1, true)));
        assert_eq!(closeness("mogsdi", true, "mogadishu"), Some((1, true)));
        assert_eq!(closeness("mgad", true, "mogadishu"), None);
        assert_eq!(closeness("mogdasihu", true, "mogadishus"), None);
        // What begins with the word is found without forgiveness.
        assert_eq!(closeness("lagos", true, "lagoss"), None);
        assert_eq!(closeness("lagos", true, "lagos"), None);
    }

    #[test]
    fn nothing_is_forgiven_in_endless_words() {
        let endless = "a".repeat(LONGEST);
        assert_eq!(most_edits(&endless, true), 2);
        assert_eq!(most_edits(&(endless + "a"), true), 0);
    }

    #[test]
    fn numbers_are_not_forgiven() {
        assert_eq!(closeness("20192", true, "20191"), None);
        assert_eq!(closeness("ma3racr", true, "ma3racer"), None);
        assert_eq!(closeness("maracer", true, "ma3racer"), None);
    }

    proptest! {
        /// The automata say what the distance is that counts each edit and each swap of neighbours as one.
        #[test]
        fn edits_are_counted_as_by_definition(asked in "[abc]{4,9}", word in "[abc]{3,11}") {
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
