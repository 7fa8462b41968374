//! Questions that people may ask for a row, the same in each run.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::directory::Row;

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const CONSONANTS: &[u8] = b"bcdfghjklmnpqrstvwxz";
/// Letters of a word that is misspelled, at least.
const MISSPELLED: usize = 5;
/// Letters of a word of title and maker, at least.
const TELLING: usize = 4;

/// What is asked, and the address of the row that is meant.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) q: String,
    pub(super) meant: String,
}

/// Numbers that look random and are the same each time (splitmix64).
#[derive(Debug)]
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new() -> Self {
        Self(20)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    fn letter(&mut self, letters: &[u8]) -> char {
        char::from(*self.of(letters))
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// A text without case and diacritics.
pub(super) fn folded(text: &str) -> String {
    let letters = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    letters.flat_map(char::to_lowercase).collect()
}

/// How a row is asked for; none if it cannot be asked for so.
type Ask = fn(&Row, &mut Rng) -> Option<String>;

const KINDS: [(&str, Ask); 8] = [
    ("whole name", |row, _| Some(row.name.clone())),
    ("prefix of the name", |row, _| Some(prefix(&row.name))),
    ("words reordered", |row, _| turned(&row.name)),
    ("diacritics removed", |row, _| {
        let folded = folded(&row.name);
        (folded != row.name.to_lowercase()).then_some(folded)
    }),
    ("one misspelled word", |row, rng| {
        misspelled(&row.name, 1, rng)
    }),
    ("two misspelled words", |row, rng| {
        misspelled(&row.name, 2, rng)
    }),
    ("a word of the title with one of the creator", |row, rng| {
        let one = |text: &str, rng: &mut Rng| {
            let words = telling(text);
            (!words.is_empty()).then(|| rng.of(&words).clone())
        };
        let (title, maker) = (one(&row.name, rng)?, one(&row.rest, rng)?);
        row.is_game().then(|| format!("{title} {maker}"))
    }),
    ("name and city", |row, _| {
        let has_city = !row.is_game() && !row.rest.is_empty();
        has_city.then(|| format!("{} {}", row.name, row.rest))
    }),
];

/// Of each kind so many, or as many as there are rows for.
pub(super) fn all(
    rows: &[Row],
    of_a_kind: usize,
    rng: &mut Rng,
) -> Vec<(&'static str, Vec<Question>)> {
    let mut of_kind = |ask: Ask| {
        let mut rows: Vec<&Row> = rows.iter().collect();
        rng.shuffle(&mut rows);
        let questions = rows.into_iter().filter_map(|row| {
            Some(Question {
                q: ask(row, rng)?,
                meant: row.address.clone(),
            })
        });
        questions.take(of_a_kind).collect()
    };
    KINDS.map(|(kind, ask)| (kind, of_kind(ask))).into()
}

/// A word that is none.
pub(super) fn consonants(rng: &mut Rng) -> String {
    (0..5 + rng.below(6))
        .map(|_| rng.letter(CONSONANTS))
        .collect()
}

/// Sixty of a hundred letters, five at least.
fn prefix(name: &str) -> String {
    let letters = name.chars().count();
    name.chars().take((letters * 6 / 10).max(5)).collect()
}

fn turned(name: &str) -> Option<String> {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    words.reverse();
    (words.len() > 1).then(|| words.join(" "))
}

/// The name with an edit in each of so many of its words.
fn misspelled(name: &str, count: usize, rng: &mut Rng) -> Option<String> {
    let mut words: Vec<String> = name
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let is_long =
        |word: &str| word.chars().count() >= MISSPELLED && word.chars().all(char::is_alphabetic);
    let mut places: Vec<usize> = (0..words.len())
        .filter(|place| is_long(&words[*place]))
        .collect();
    rng.shuffle(&mut places);
    for place in places.get(..count)? {
        words[*place] = edited(&words[*place], rng);
    }
    Some(words.join(" "))
}

/// A word with a letter too many, a wrong letter, one left out, or two neighbours that changed places.
fn edited(word: &str, rng: &mut Rng) -> String {
    loop {
        let mut letters: Vec<char> = word.chars().collect();
        let place = rng.below(letters.len());
        match rng.below(4) {
            0 => letters.insert(place, rng.letter(LETTERS)),
            1 => letters[place] = rng.letter(LETTERS),
            2 => drop(letters.remove(place)),
            _ => letters.swap(place, (place + 1).min(word.chars().count() - 1)),
        }
        let edited: String = letters.into_iter().collect();
        if edited != word {
            return edited;
        }
    }
}

fn telling(text: &str) -> Vec<String> {
    let words = folded(text);
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| word.chars().count() >= TELLING)
        .map(str::to_owned)
        .collect()
}
