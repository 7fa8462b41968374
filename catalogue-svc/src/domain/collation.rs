//! The order of names.

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use serde::{Deserialize, Serialize};

/// Unicode's root collation. Its data are compiled in.
static ROOT: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let root = Collator::try_new(CollatorPreferences::default(), CollatorOptions::default());
    let Ok(root) = root else {
        unreachable!("the data have the root collation");
    };
    root
});

/// A name in the order of Unicode's root collation. Case and diacritics decide only between names that are equal otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(Box<str>);

impl Name {
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = ROOT.compare(&self.0, &other.0);
        order.then_with(|| self.0.cmp(&other.0))
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
    fn diacritics_and_case_do_not_affect_the_order_of_names() {
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
