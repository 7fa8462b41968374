//! The notice on a page after a form was sent. The redirect names it in `?done=`.

use pages::site::{Language, Texts};
use serde::Deserialize;

/// The query of pages with a notice.
#[derive(Debug, Default, Deserialize)]
pub struct AfterForm {
    #[serde(default)]
    done: String,
}

impl AfterForm {
    /// The notice in the language of the page.
    pub fn notice_in(&self, language: Language) -> Option<&'static str> {
        Texts::of(language).find(&format!("done-{}", self.done))
    }

    /// The notice, from a fixed list, so that a link cannot put words into the page.
    pub fn named(done: &str) -> Option<&'static str> {
        Some(match done {
            "listing-submitted" => "Submitted. Someone reviews it before it is public.",
            "listing-without-cover" => {
                "The game is submitted, without its cover: see below what is wrong with the file."
            }
            "listing-changed" => "The change is saved.",
            "listing-withdrawn" => "Withdrawn: it has left the review queue.",
            "takedown-asked" => "Staff have your request. Their answer appears here.",
            "note-closed" => "The correction is closed.",
            "page-claimed" => "Staff have your claim. Their answer appears here.",
            "pictures-changed" => "The pictures are changed.",
            "currency-named" => "The name is valid from now on.",
            _ => return None,
        })
    }
}
