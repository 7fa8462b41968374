//! Words of a text, folded so that case and diacritics make no difference.
//!
//! A word is a run of letters and digits of any script. It is decomposed (NFKD), its marks are dropped and it is put into lower case;
//! Latin letters that do not decompose become their nearest ASCII (`ɗ` d, `ŋ` ng, `ø` o, `ß` ss), other scripts stay themselves. Words
//! on both sides of an apostrophe are words of their own and also one together: `Ng'ombe` is found by `ombe` and by `ngombe`, and
//! `L'Héritage` by `heritage`.
//!
//! In titles and names, all words between two spaces are one word together as well, whatever marks separate them: `J.U.L.I.A.` is found
//! by `julia`, `Kori-Odan` by `koriodan`, `10,000` by `10000`. Taglines have no such words, which would make the index larger.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The field in which a listing has a word (§4.2); the best one, if several have it.
///
/// Only a word that is in the pitch and in the rest counts in both: a pitch often names the city, and a search for the name and the city
/// must find it in the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// At the start of its title or name.
    TitleStart,
    /// Further on in its title or name.
    Title,
    /// In its tagline.
    Pitch,
    /// In its tagline, and in its creator's name or its city.
    PitchAndRest,
    /// In its creator's name or its city.
    Rest,
}

impl Field {
    /// The field of a word that is in both.
    fn and(self, other: Self) -> Self {
        match (self.min(other), self.max(other)) {
            (Self::Pitch, Self::PitchAndRest | Self::Rest) => Self::PitchAndRest,
            (best, _) => best,
        }
    }
}

/// The words of a listing, each with its field.
pub type Words = BTreeMap<String, Field>;

/// The words of a listing with these texts. The first word of each text of [`Field::Title`] gets [`Field::TitleStart`], and so does a
/// joined word that begins with it.
pub fn of_texts<'a>(texts: impl IntoIterator<Item = (Field, &'a str)>) -> Words {
    let mut words = Words::new();
    let mut insert = |word: String, field: Field| {
        let held = words.entry(word).or_insert(field);
        *held = held.and(field);
    };
    for (field, text) in texts {
        let mut field = match field {
            Field::Title => Field::TitleStart,
            other => other,
        };
        let parts = split(text);
        for run in parts.chunk_by(|_, next| next.follows != Separator::Space) {
            if run.len() > 1 && field != Field::Pitch {
                insert(joined(run), field);
            }
            for group in run.chunk_by(|_, next| next.follows == Separator::Apostrophe) {
                if group.len() > 1 {
                    insert(joined(group), field);
                }
                for part in group {
                    insert(part.word.clone(), field);
                }
                field = field.max(Field::Title);
            }
        }
    }
    words
}

/// The length of titles with this number of words or more.
pub const LONGEST_TITLE: u8 = 8;

/// The number of words of a title, from one to [`LONGEST_TITLE`]. Words that only apostrophes separate count as one.
pub fn title_length(title: &str) -> u8 {
    let words = split(title).into_iter();
    let words = words.filter(|part| part.follows != Separator::Apostrophe);
    u8::try_from(words.count()).map_or(LONGEST_TITLE, |words| words.clamp(1, LONGEST_TITLE))
}

/// The first words of a `q`, up to `limit` different ones: an empty set if it has no letter and no digit.
pub fn of_query(q: &str, limit: usize) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for Part { word, .. } in split(q) {
        if words.len() == limit {
            break;
        }
        words.insert(word);
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

/// A word of a text.
#[derive(Debug)]
struct Part {
    word: String,
    /// What is before it.
    follows: Separator,
}

/// These words as one.
fn joined(parts: &[Part]) -> String {
    parts.iter().map(|part| part.word.as_str()).collect()
}

/// The words of a text, in its order.
fn split(text: &str) -> Vec<Part> {
    // No ASCII letter decomposes.
    if text.is_ascii() {
        split_letters(text.chars())
    } else {
        split_letters(text.nfkd())
    }
}

fn split_letters(text: impl Iterator<Item = char>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut word = String::new();
    // What is between the last word and the next one so far. `None`: the last character belongs to a word.
    let mut separator = Some(Separator::Space);
    let mut follows = Separator::Space;
    for letter in text.chain(std::iter::once(' ')) {
        if is_combining_mark(letter) {
            continue;
        }
        // Some apostrophes count as letters in Unicode.
        if letter.is_alphanumeric() && !is_apostrophe(letter) {
            fold(letter, &mut word);
            // A letter may have no ASCII.
            if !word.is_empty() {
                follows = separator.take().unwrap_or(follows);
            }
            continue;
        }
        if !word.is_empty() {
            let word = std::mem::take(&mut word);
            parts.push(Part { word, follows });
        }
        separator = Some(Separator::with(separator, letter));
    }
    parts
}

fn is_apostrophe(letter: char) -> bool {
    matches!(
        letter,
        '\'' | '\u{02bb}' | '\u{02bc}' | '\u{2018}' | '\u{2019}'
    )
}

fn fold(letter: char, word: &mut String) {
    if letter.is_ascii() {
        word.push(letter.to_ascii_lowercase());
        return;
    }
    match deunicode::deunicode_char(letter).filter(|_| is_latin(letter)) {
        Some(nearest) => {
            let letters = nearest.chars().filter(char::is_ascii_alphanumeric);
            word.extend(letters.map(|letter| letter.to_ascii_lowercase()));
        }
        None => word.extend(letter.to_lowercase()),
    }
}

/// Whether a letter is in one of Unicode's Latin blocks.
fn is_latin(letter: char) -> bool {
    matches!(letter,
        '\u{00c0}'..='\u{02af}' | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}'
        | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<String> {
        of_texts([(Field::Rest, text)]).into_keys().collect()
    }

    #[test]
    fn case_and_diacritics_are_folded() {
        assert_eq!(text("Éclipse À LA Plage"), ["a", "eclipse", "la", "plage"]);
        // Decomposed or not, it is the same word.
        assert_eq!(text("e\u{301}te\u{301}"), text("été"));
        assert_eq!(text("Ìjàpá"), ["ijapa"]);
        assert_eq!(text("Ƙofar Ɗan Ɓera"), ["bera", "dan", "kofar"]);
        assert_eq!(text("Straße Łódź"), ["lodz", "strasse"]);
        assert_eq!(text("ﬁre Ⅳ"), ["fire", "iv"]);
    }

    #[test]
    fn numbers_are_words_and_every_script_has_them() {
        assert_eq!(text("R-Type 2: 1960"), ["1960", "2", "r", "rtype", "type"]);
        assert_eq!(text("ሰላም ዓለም"), ["ሰላም", "ዓለም"]);
        // Arabic vowel signs are marks, and dropped.
        assert_eq!(text("لُعْبَة"), ["لعبة"]);
        assert_eq!(text("ИГРА"), ["игра"]);
    }

    #[test]
    fn an_apostrophe_parts_and_joins() {
        assert_eq!(text("Ng'ombe"), ["ng", "ngombe", "ombe"]);
        assert_eq!(text("L’Héritage"), ["heritage", "l", "lheritage"]);
        assert_eq!(text("'quoted' 'words'"), ["quoted", "words"]);
        let words: Vec<String> = of_query("ng'ombe NG", 2).into_iter().collect();
        assert_eq!(words, ["ng", "ombe"]);
    }

    #[test]
    fn a_name_without_its_marks_is_a_word_too() {
        for (title, words) in [
            ("J.U.L.I.A.", &["a", "i", "j", "julia", "l", "u"][..]),
            ("8-Bit Kora", &["8", "8bit", "bit", "kora"]),
            ("the Kori-Odan", &["kori", "koriodan", "odan", "the"]),
            ("10,000 Stones", &["000", "10", "10000", "stones"]),
            (
                "AC/DC · L’Été—Là",
                &["ac", "acdc", "dc", "ete", "l", "la", "lete", "letela"],
            ),
            ("N·A·M... Run!?", &["a", "m", "n", "nam", "run"]),
            // Apostrophes join as before, within the whole.
            (
                "Spider-Man's",
                &["man", "mans", "s", "spider", "spidermans"],
            ),
            ("rock-n'roll", &["n", "nroll", "rock", "rocknroll", "roll"]),
            ("'n'-'n'", &["n", "nn"]),
            // A space separates, whatever is beside it.
            (
                "Night - Day: Two, Three -Four",
                &["day", "four", "night", "three", "two"],
            ),
            ("one\u{a0}two", &["one", "two"]),
        ] {
            assert_eq!(text(title), words, "{title}");
            let of_title: Vec<String> = of_texts([(Field::Title, title)]).into_keys().collect();
            assert_eq!(of_title, words, "{title}");
        }
    }

    #[test]
    fn joined_words_make_the_index_hardly_larger() {
        let titles = [
            include_str!("../../../deploy/data/games.ndjson"),
            include_str!("../../../deploy/data/games-without-year.ndjson"),
            include_str!("../../../deploy/data/creators.ndjson"),
            include_str!("../../../deploy/data/events.ndjson"),
        ];
        let rows = titles.into_iter().flat_map(str::lines);
        let (mut apart, mut terms) = (BTreeSet::new(), BTreeSet::new());
        for row in rows {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let title = row["title"]
                .as_str()
                .or_else(|| row["name"].as_str())
                .unwrap();
            apart.extend(split(title).into_iter().map(|part| part.word));
            terms.extend(of_texts([(Field::Title, title)]).into_keys());
        }
        let (apart, terms) = (apart.len(), terms.len());
        assert!(apart < terms, "no title of the directory has marks");
        assert!(terms * 100 <= apart * 105, "{terms} terms, {apart} apart");
    }

    #[test]
    fn a_pitch_has_no_joined_words_but_those_of_apostrophes() {
        let words = of_texts([(Field::Pitch, "A rock-n'roll top-down game")]);
        let words: Vec<&str> = words.keys().map(String::as_str).collect();
        assert_eq!(
            words,
            ["a", "down", "game", "n", "nroll", "rock", "roll", "top"]
        );
    }

    #[test]
    fn a_joined_word_starts_a_title_if_its_first_part_does() {
        let words = of_texts([(Field::Title, "Kori-Odan and J.U.L.I.A.")]);
        for (word, field) in [
            ("kori", Field::TitleStart),
            ("koriodan", Field::TitleStart),
            ("odan", Field::Title),
            ("julia", Field::Title),
        ] {
            assert_eq!(words[word], field, "{word}");
        }
    }

    #[test]
    fn the_words_of_a_title_are_counted() {
        assert_eq!(title_length("Hadley's Run: A Starship Saga"), 5);
        // The joined word is not one more.
        assert_eq!(title_length("Kori-Odan"), 2);
        assert_eq!(title_length("?!"), 1);
        assert_eq!(title_length(&"la ".repeat(300)), LONGEST_TITLE);
    }

    #[test]
    fn a_word_is_of_the_best_field_that_has_it() {
        let words = of_texts([
            (Field::Rest, "Kora"),
            (Field::Title, "kora night"),
            (Field::Pitch, "Night in Bamako"),
        ]);
        assert_eq!(words["kora"], Field::TitleStart);
        assert_eq!(words["night"], Field::Title);
        assert_eq!(words["bamako"], Field::Pitch);
    }

    #[test]
    fn a_word_of_the_pitch_and_the_city_is_of_both() {
        let words = of_texts([
            (Field::Title, "Tunis Nights"),
            (Field::Pitch, "Games from Tunis and Sfax"),
            (Field::Rest, "Sfax"),
        ]);
        assert_eq!(words["tunis"], Field::TitleStart);
        assert_eq!(words["sfax"], Field::PitchAndRest);
        assert_eq!(words["games"], Field::Pitch);
    }

    #[test]
    fn a_query_has_no_word_or_as_many_as_may_be() {
        let words = |q: &str| of_query(q, 2).into_iter().collect::<Vec<String>>();
        assert_eq!(words(" – !? "), [""; 0]);
        assert_eq!(words("a b A B"), ["a", "b"]);
        // Those that come first in the text, and not in the alphabet.
        assert_eq!(words("c b B a"), ["b", "c"]);
    }
}
