//! The notice on a page after a form was sent. The redirect names it in `?done=`.

use pages::{Language, Texts};
use serde::Deserialize;

/// The query of pages with a notice.
#[derive(Debug, Default, Deserialize)]
pub struct AfterForm {
    #[serde(default)]
    done: String,
}

impl AfterForm {
    pub fn notice(&self) -> Option<&'static str> {
        Self::named(&self.done)
    }

    /// The key of the notice: a text whose key begins with `done-`, so that a link cannot put words into the page.
    pub fn named(done: &str) -> Option<&'static str> {
        Texts::of(Language::English).known_key(&format!("done-{done}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_notices_are_shown() {
        let paused = AfterForm::named("webhook-paused");
        assert_eq!(paused, Some("done-webhook-paused"));
        for unknown in ["", "title", "<b>yes", "paused = x"] {
            assert_eq!(AfterForm::named(unknown), None, "{unknown}");
        }
    }
}
