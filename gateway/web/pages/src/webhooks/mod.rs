//! Webhooks: addresses, deliveries, samples of events, and the check of a receiver.

pub mod checks;
pub mod deliveries;
pub mod endpoints;

use askama::Template;

use crate::shell::Shell;

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
    pub description: String,
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
                description: "A game was approved.".to_owned(),
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
}
