//! What the head of a page tells machines: social networks, search engines and readers of feeds.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::language::Language;
use crate::link::Picture;

/// What a page tells machines.
#[derive(Debug, Default, Clone)]
pub struct Share {
    /// The picture with which networks show a link to the page, if it is not that of the site.
    pub image: Option<Picture>,
    /// Whether the page is about a person or a studio.
    pub is_profile: bool,
    pub structured_data: Option<JsonLd>,
    pub documents: Vec<Document>,
}

/// The same, or more of it, for a program: a feed, a calendar.
#[derive(Debug, Clone)]
pub struct Document {
    pub media_type: &'static str,
    pub title: String,
    pub href: String,
}

/// Structured data in JSON, written so that no text in it can end the element around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLd(String);

impl JsonLd {
    /// `json` is valid JSON: outside of its texts it has none of the characters that are escaped here.
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
