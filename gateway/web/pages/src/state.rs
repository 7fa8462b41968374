//! A state in words, with a colour.

#[derive(Debug, Clone)]
pub struct StateText {
    pub text: &'static str,
    /// `good`, `bad`, or empty.
    pub tone: &'static str,
}

impl StateText {
    pub const fn plain(text: &'static str) -> Self {
        Self { text, tone: "" }
    }

    pub const fn good(text: &'static str) -> Self {
        Self { text, tone: "good" }
    }

    pub const fn bad(text: &'static str) -> Self {
        Self { text, tone: "bad" }
    }
}
