//! The parts of a page's head for social networks, search engines and feed readers.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::language::Language;
use crate::link::Picture;

/// What the head of a page has for programs.
#[derive(Debug, Default, Clone)]
pub struct Share {
    /// The picture with which networks show a link to the page, if it is not that of the site.
    pub image: Option<Picture>,
    /// Whether the page is about a person or a studio.
    pub is_profile: bool,
    pub structured_data: Option<JsonLd>,
    pub documents: Vec<Document>,
}

/// A document with the content of the page for programs, such as a feed or a calendar.
#[derive(Debug, Clone)]
pub struct Document {
    pub media_type: &'static str,
    pub title: String,
    pub href: String,
}

/// Structured data in JSON. No text in it can end the element around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLd(String);

impl JsonLd {
    /// `json` is valid JSON, which has the escaped characters in its texts only.
    pub fn new(json: &str) -> Self {
        let mut safe = String::with_capacity(json.len());
        for c in json.chars() {
            match c {
                '<' | '>' | '&' | '\'' | '\u{2028}' | '\u{2029}' => {
                    // Writing to a string does not fail.
                    write!(safe, "\\u{:04x}", u32::from(c)).ok();
                }
                other => safe.push(other),
            }
        }
        Self(safe)
    }
}

impl Display for JsonLd {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Language {
    /// As Open Graph names languages: with a country.
    pub const fn locale(self) -> &'static str {
        match self {
            Self::English => "en_GB",
            Self::French => "fr_FR",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element() {
        let json = JsonLd::new(r#"{"name":"</script><!-- & 'x' \"y\""}"#).to_string();
        for part in ["<", ">", "&", "'"] {
            assert!(!json.contains(part), "{json}");
        }
        assert!(
            json.starts_with(r#"{"name":"\u003c/script\u003e\u003c!-- \u0026 \u0027x\u0027 \"y\""#),
            "{json}"
        );
    }
}
