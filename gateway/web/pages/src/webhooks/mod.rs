//! Webhooks: addresses and deliveries.

pub mod deliveries;
pub mod endpoints;

use askama::Template;

use crate::language::Language;

/// A text of webhook-svc. One without a translation stays in English, and its element says so.
#[derive(Debug, Clone, Template)]
#[template(path = "webhooks/text.html")]
pub struct ServiceText {
    pub text: String,
    pub is_translated: bool,
}

/// Its template escapes the text.
impl askama::filters::HtmlSafe for ServiceText {}

impl ServiceText {
    /// The translation, or else the text of the service.
    pub fn new(language: Language, translation: Option<String>, english: &str) -> Self {
        let needs_none = language == Language::English || english.is_empty();
        Self {
            is_translated: needs_none || translation.is_some(),
            text: translation.unwrap_or_else(|| english.to_owned()),
        }
    }
}

/// What came of the first request to an address.
#[derive(Debug, Clone)]
pub struct AddressCheck {
    pub result: ServiceText,
    /// Whether the result is an answer, and not the reason why there was none.
    pub has_answered: bool,
}

/// A state in words, with a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateLabel {
    pub text: &'static str,
    pub tone: Tone,
}

/// The colour of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
}

impl StateLabel {
    pub const fn plain(text: &'static str) -> Self {
        Self {
            text,
            tone: Tone::Plain,
        }
    }

    pub const fn good(text: &'static str) -> Self {
        Self {
            text,
            tone: Tone::Good,
        }
    }

    pub const fn bad(text: &'static str) -> Self {
        Self {
            text,
            tone: Tone::Bad,
        }
    }

    /// The classes of its element.
    pub const fn class(&self) -> &'static str {
        match self.tone {
            Tone::Plain => "state",
            Tone::Good => "state good",
            Tone::Bad => "state bad",
        }
    }
}

/// An event that an address may receive.
#[derive(Debug, Clone)]
pub struct EventRow {
    pub name: String,
    /// When it is sent.
    pub description: ServiceText,
    /// A body, as indented JSON.
    pub sample: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_translation_is_marked_as_english() {
        let text = |language, translation: Option<&str>, english| {
            let translation = translation.map(ToOwned::to_owned);
            let text = ServiceText::new(language, translation, english);
            text.render().unwrap()
        };
        let french = Language::French;
        assert_eq!(text(french, Some("refusée"), "refused"), "refusée");
        let marked = "<span lang=\"en\">&#60;b&#62;</span>";
        assert_eq!(text(french, None, "<b>"), marked);
        assert_eq!(text(french, None, ""), "");
        assert_eq!(text(Language::English, None, "refused"), "refused");
    }
}
