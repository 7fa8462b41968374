//! Webhooks: addresses and deliveries.

pub mod deliveries;
pub mod endpoints;

/// What came of the first request to an address.
#[derive(Debug, Clone)]
pub struct AddressCheck {
    pub result: String,
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
    pub description: String,
}
