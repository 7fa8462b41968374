//! Words of a text, folded so that case, diacritics and letters that stand for each other make no difference.
//!
//! A word is a run of letters and digits of any script. It is decomposed (NFKD), its marks are dropped, and its letters are folded
//! ([`super::folding`]): Latin letters become their nearest ASCII (`ɗ` d, `ŋ` ng, `ß` ss), other scripts stay themselves. Words on both sides
//! of an apostrophe are words of their own and one together: `ombe` and `ngombe` find `Ng'ombe`, and `heritage` finds `L'Héritage`.
//!
//! In titles and names, all words between two spaces are one word together as well, whatever marks separate them: `julia` finds `J.U.L.I.A.`,
//! `koriodan` finds `Kori-Odan`, `10000` finds `10,000`. Taglines have no such words, which would make the index larger.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::folding::{TATWEEL, fold};

/// The field in which a listing has a word (§4.2); the best one, if several have it.
///
/// A word of both the tagline and an associated name (a game's creator; the city of a creator or an event) counts in both: a tagline often names the
/// city, and a search for the name and the city must find it among the associated names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// In its title or name.
    Title,
    /// In its tagline.
    Tagline,
    /// In its tagline and in an associated name.
    TaglineAndAssociated,
    /// In an associated name.
    Associated,
}

impl Field {
    /// The field of a word that is in both.
    fn and(self, other: Self) -> Self {
        match (self.min(other), self.max(other)) {
            (Self::Tagline, Self::TaglineAndAssociated | Self::Associated) => {
                Self::TaglineAndAssociated
            }
            (best, _) => best,
        }
    }
}

/// The words of a listing, each with its field.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The words of its texts without what separates them: a joined word is a part of it, too.
    letters: String,
    /// In the order of the words.
    entries: Vec<Word>,
    title_length: u8,
}

/// A part of the letters of [`Words`].
#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    field: Field,
}

/// The length of titles with this number of words or more.
pub const LONGEST_TITLE: u8 = 8;

/// The words of a listing's texts. The first text is its title or name.
pub fn from_texts<'a>(texts: impl IntoIterator<Item = (Field, &'a str)>) -> Words {
    let mut words = Words::default();
    let mut parts = Vec::new();
    for (field, text) in texts {
        parts.clear();
        split(text, &mut words.letters, &mut parts);
        if words.title_length == 0 {
            words.title_length = title_length(&parts);
        }
        words.add(field, &parts);
    }
    words.sort();
    words
}

impl Words {
    /// The words in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Field)> {
        self.entries.iter().map(|word| (self.text(word), word.field))
    }

    /// The number of words of the title, from one to [`LONGEST_TITLE`]. Words that only apostrophes separate count as one.
    pub fn title_length(&self) -> u8 {
        self.title_length
    }

    fn text(&self, word: &Word) -> &str {
        &self.letters[word.start..word.end]
    }

    /// Adds the words of a text.
    fn add(&mut self, field: Field, parts: &[Part]) {
        for run in parts.chunk_by(|_, next| next.follows != Separator::Space) {
            if run.len() > 1 && field != Field::Tagline {
                self.entries.extend(joined(run, field));
            }
            for group in run.chunk_by(|_, next| next.follows == Separator::Apostrophe) {
                if group.len() > 1 {
                    self.entries.extend(joined(group, field));
                }
                for part in group {
                    self.entries.extend(joined(std::slice::from_ref(part), field));
                }
            }
        }
    }

    /// Brings the words into their order, each once.
    fn sort(&mut self) {
        let letters = &self.letters;
        let text = |word: &Word| &letters[word.start..word.end];
        self.entries.sort_unstable_by(|one, other| text(one).cmp(text(other)));
        self.entries.dedup_by(|word, held| {
            let is_same = text(word) == text(held);
            if is_same {
                held.field = held.field.and(word.field);
            }
            is_same
        });
    }
}

/// These words, which follow each other, as one.
fn joined(parts: &[Part], field: Field) -> Option<Word> {
    Some(Word { start: parts.first()?.start, end: parts.last()?.end, field })
}

fn title_length(title: &[Part]) -> u8 {
    let words = title.iter().filter(|part| part.follows != Separator::Apostrophe);
    u8::try_from(words.count()).map_or(LONGEST_TITLE, |words| words.clamp(1, LONGEST_TITLE))
}

/// The first words of a `q`, up to `limit` different ones: an empty set if it has no letter and no digit.
pub fn from_query(q: &str, limit: usize) -> BTreeSet<String> {
    let (mut letters, mut parts) = (String::new(), Vec::new());
    split(q, &mut letters, &mut parts);
    let mut words = BTreeSet::new();
    for part in parts {
        if words.len() == limit {
            break;
        }
        words.insert(letters[part.start..part.end].to_owned());
    }
    words
}

/// What separates a word from the word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// One apostrophe.
    Apostrophe,
    /// Other characters, none of which is a space.
    Marks,
    /// Characters with a space, or the word is the first.
    Space,
}

impl Separator {
    /// The separator with one more character; `before` is `None` at the end of a word.
    fn with(before: Option<Self>, next: char) -> Self {
        if next.is_whitespace() || before == Some(Self::Space) {
            Self::Space
        } else if before.is_none() && is_apostrophe(next) {
            Self::Apostrophe
        } else {
            Self::Marks
        }
    }
}

/// A word of a text: a part of the letters that [`split`] appends.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    /// What is before it.
    follows: Separator,
}

/// Appends the letters of a text, and its words in their order.
fn split(text: &str, letters: &mut String, parts: &mut Vec<Part>) {
    // No ASCII letter decomposes.
    if text.is_ascii() {
        split_letters(text.chars(), letters, parts);
    } else {
        split_letters(text.nfkd(), letters, parts);
    }
}

fn split_letters(text: impl Iterator<Item = char>, letters: &mut String, parts: &mut Vec<Part>) {
    let mut start = letters.len();
    // What is between the last word and the next one so far. `None` after a character of a word.
    let mut separator = Some(Separator::Space);
    let mut follows = Separator::Space;
    for letter in text.chain(std::iter::once(' ')) {
        if is_combining_mark(letter) || letter == TATWEEL {
            continue;
        }
        // Some apostrophes count as letters in Unicode.
        if letter.is_alphanumeric() && !is_apostrophe(letter) {
            fold(letter, letters);
            // A letter may have no ASCII.
            if letters.len() > start {
                follows = separator.take().unwrap_or(follows);
            }
            continue;
        }
        let end = letters.len();
        if end > start {
            parts.push(Part { start, end, follows });
            start = end;
        }
        separator = Some(Separator::with(separator, letter));
    }
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{02bb}' | '\u{02bc}' | '\u{2018}' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(words: &Words) -> Vec<String> {
        words.iter().map(|(word, _)| word.to_owned()).collect()
    }

    fn text(text: &str) -> Vec<String> {
        keys(&from_texts([(Field::Associated, text)]))
    }

    #[test]
    fn case_and_diacritics_are_folded() {
        assert_eq!(text("Éclipse À LA Plage"), ["a", "eclipse", "la", "plage"]);
        // NFC and NFD give the same word.
        assert_eq!(text("e\u{301}te\u{301}"), text("été"));
        assert_eq!(text("Ìjàpá"), ["ijapa"]);
        assert_eq!(text("Straße Łódź"), ["lodz", "strasse"]);
        // Tatweel only lengthens a word on the page.
        assert_eq!(text("لعـــبة"), text("لعبه"));
        assert_eq!(text("ﬁre Ⅳ"), ["fire", "iv"]);
    }

    #[test]
    fn numbers_are_words_and_every_script_has_them() {
        assert_eq!(text("R-Type 2: 1960"), ["1960", "2", "r", "rtype", "type"]);
        assert_eq!(text("ሰላም ዓለም"), ["ሰላም", "አለም"]);
        // Arabic vowel signs are combining marks, which are dropped.
        assert_eq!(text("لُعْبَة"), ["لعبه"]);
        assert_eq!(text("ИГРА"), ["игра"]);
    }

    #[test]
    fn a_word_with_an_apostrophe_is_indexed_split_and_joined() {
        assert_eq!(text("Ng'ombe"), ["ng", "ngombe", "ombe"]);
        assert_eq!(text("L’Héritage"), ["heritage", "l", "lheritage"]);
        assert_eq!(text("'quoted' 'words'"), ["quoted", "words"]);
        let words: Vec<String> = from_query("ng'ombe NG", 2).into_iter().collect();
        assert_eq!(words, ["ng", "ombe"]);
    }

    #[test]
    fn a_name_without_its_punctuation_is_a_word_too() {
        for (title, words) in [
            ("J.U.L.I.A.", &["a", "i", "j", "julia", "l", "u"][..]),
            ("10,000 Stones", &["000", "10", "10000", "stones"]),
            ("AC/DC · L’Été—Là", &["ac", "acdc", "dc", "ete", "l", "la", "lete", "letela"]),
            // Apostrophes still join inside a compound.
            ("Spider-Man's", &["man", "mans", "s", "spider", "spidermans"]),
            ("rock-n'roll", &["n", "nroll", "rock", "rocknroll", "roll"]),
            // Punctuation next to a space joins nothing.
            ("Night - Day: Two, Three -Four", &["day", "four", "night", "three", "two"]),
        ] {
            assert_eq!(text(title), words, "{title}");
            let of_title = from_texts([(Field::Title, title)]);
            assert_eq!(keys(&of_title), words, "{title}");
        }
    }

    #[test]
    fn a_tagline_has_no_joined_words_but_those_of_apostrophes() {
        let words = from_texts([(Field::Tagline, "A rock-n'roll top-down game")]);
        assert_eq!(keys(&words), ["a", "down", "game", "n", "nroll", "rock", "roll", "top"]);
    }

    #[test]
    fn the_words_of_a_title_are_counted() {
        let long = "la ".repeat(300);
        for (title, length) in [
            ("Hadley's Run: A Starship Saga", 5),
            // The joined word `koriodan` is not counted.
            ("Kori-Odan", 2),
            ("?!", 1),
            (&long, LONGEST_TITLE),
        ] {
            let words = from_texts([(Field::Title, title), (Field::Tagline, "In the dark")]);
            assert_eq!(words.title_length(), length, "{title}");
        }
    }

    #[test]
    fn a_word_gets_the_best_field_that_has_it() {
        let words = from_texts([
            (Field::Title, "Tunis Nights"),
            (Field::Tagline, "Games from Tunis and Sfax"),
            (Field::Associated, "Sfax Nights"),
        ]);
        for (word, field) in [
            ("tunis", Field::Title),
            ("nights", Field::Title),
            ("games", Field::Tagline),
            ("sfax", Field::TaglineAndAssociated),
        ] {
            assert!(words.iter().any(|found| found == (word, field)), "{word}");
        }
        assert_eq!(words.iter().count(), 6);
    }

    #[test]
    fn a_query_keeps_its_first_words_up_to_the_limit() {
        let words = |q: &str| from_query(q, 2).into_iter().collect::<Vec<String>>();
        assert_eq!(words(" – !? "), [""; 0]);
        assert_eq!(words("a b A B"), ["a", "b"]);
        // The first words of the text, not of the alphabet.
        assert_eq!(words("c b B a"), ["b", "c"]);
    }
}
