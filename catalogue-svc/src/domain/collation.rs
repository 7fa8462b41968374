//! The order of names.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::words;

/// A name in the order of Unicode's root collation, as far as names of the directory need it; a test compares the two.
///
/// Case and diacritics decide only between names that are equal otherwise. Spaces come before punctuation,
/// punctuation before digits, digits before letters.
///
/// The key is folded with the function that folds the words of a `q`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    // The first field decides first.
    key: Box<str>,
    text: Arc<str>,
}

impl Name {
    /// The name with this text.
    pub fn new(text: &str) -> Self {
        Self {
            key: key(text).into(),
            text: text.into(),
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Punctuation in the order of the root collation.
const PUNCTUATION: &str = "_-‐–—,;:!?.'‘’\"“”()[]{}@*/\\&#%`´^+<=>|~$";

/// The sort key of a name: letters and digits are folded; spaces and punctuation become control characters, which sort before them.
fn key(text: &str) -> String {
    let folded = words::fold_text(text);
    let before_digits = |rank: usize| {
        let rank = u32::try_from(rank).ok().and_then(char::from_u32);
        rank.unwrap_or_default()
    };
    let sorted = folded.chars().map(|letter| {
        if letter.is_alphanumeric() {
            letter
        } else if letter.is_whitespace() {
            before_digits(0)
        } else {
            let rank = PUNCTUATION.chars().position(|known| known == letter);
            before_digits(1 + rank.unwrap_or_else(|| PUNCTUATION.chars().count()))
        }
    });
    sorted.collect()
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self::new(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diacritics_and_case_do_not_part_names() {
        let sorted = [
            "Bo «Kono»",
            "Bo 1",
            "Bo 7",
            "Cabo Verde",
            "Comoros",
            "Congo",
            "Congo (DRC)",
            "Côte d'Ivoire",
            "Djibouti",
            "Guinea",
            "Guinea-Bissau",
            "Saint Helena",
            "São Tomé and Príncipe",
            "Senegal",
            "senegal 2",
            "Zürich",
            "ሰላም",
        ];
        let mut names: Vec<Name> = sorted.iter().rev().map(|name| Name::new(name)).collect();
        names.sort();
        let names: Vec<&str> = names.iter().map(Name::as_str).collect();
        assert_eq!(names, sorted);
    }
}
