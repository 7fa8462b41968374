//! What a form says at a field that both its person and somebody else have changed.

use crate::english::{say, say_of};

/// The most characters of the value that somebody else has saved.
const SHOWN_VALUE: usize = 500;

/// What the form says at a field for which somebody else has saved this value.
pub(super) fn conflict(theirs: &str) -> String {
    if theirs.is_empty() {
        return say("listing-edit-both-emptied").to_owned();
    }
    let mut shown: String = theirs.chars().take(SHOWN_VALUE).collect();
    if shown.len() < theirs.len() {
        shown.push('…');
    }
    say_of("listing-edit-both", &shown)
}
