//! The order of names.

use std::cmp::Ordering;

use feruca::{Collator, Locale, Tailoring};
use serde::{Deserialize, Serialize};

/// A name that sorts by Unicode's root collation. Case and diacritics decide only between names that are alike otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(Box<str>);

impl Name {
    /// The name that reads `text`.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// As it reads.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        let (shifts_punctuation, breaks_ties) = (false, true);
        let root = Tailoring::Cldr(Locale::Root);
        Collator::new(root, shifts_punctuation, breaks_ties).collate(&*self.0, &*other.0)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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
