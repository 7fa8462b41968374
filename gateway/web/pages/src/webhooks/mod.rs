//! Webhooks: addresses, deliveries, samples of events, and the check of a receiver.

pub mod checks;
pub mod deliveries;
pub mod delivery_days;
pub mod endpoints;

use askama::Template;

use crate::language::Language;
use crate::shell::Shell;
use crate::texts::Texts;

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

/// An event with its samples.
#[derive(Debug, Clone)]
pub struct EventRow {
    pub name: String,
    /// When it is sent.
    pub description: ServiceText,
    pub samples: Vec<SampleRow>,
}

#[derive(Debug, Clone)]
pub struct SampleRow {
    /// Names the element, so that it can be copied.
    pub id: String,
    /// `game`, `studio`, `person` or `event`; empty for a ping.
    pub kind: String,
    /// Indented JSON.
    pub body: String,
}

/// What every event looks like.
#[derive(Debug, Template)]
#[template(path = "webhooks/samples.html")]
pub struct SamplesPage {
    pub shell: Shell,
    /// The path of the account's webhooks.
    pub base: String,
    pub events: Vec<EventRow>,
}

impl SamplesPage {
    /// The heading of a sample. A kind that has no text is shown as it is.
    fn about<'a>(&self, kind: &'a str) -> &'a str {
        Texts::of(self.shell.language).value("webhook-about", kind, kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_can_be_copied() {
        let sample = |kind: &str| SampleRow {
            id: format!("sample-{kind}"),
            kind: kind.to_owned(),
            body: "{\n  \"name\": \"<b>\"\n}".to_owned(),
        };
        let page = SamplesPage {
            shell: Shell::default(),
            base: "/accounts/a/webhooks".to_owned(),
            events: vec![EventRow {
                name: "listing.published".to_owned(),
                description: ServiceText::new(Language::English, None, "A game was approved."),
                samples: vec![sample("game"), sample("event")],
            }],
        };
        let html = page.render().unwrap();
        assert!(html.contains("About a game") && html.contains("About an event"));
        for id in ["sample-game", "sample-event"] {
            assert!(html.contains(&format!("id=\"{id}\"")), "{html}");
            assert!(html.contains(&format!("data-copy=\"{id}\"")), "{html}");
        }
        assert!(!html.contains("<b>"), "{html}");
    }

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
