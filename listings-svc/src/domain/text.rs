//! The lengths of texts, and how a report shortens them. The rules of texts are the kit's.

pub use kit::api::text::{line, paragraphs};

/// In characters, as are the other limits.
pub const MAX_TITLE: usize = 120;
pub const MAX_TAGLINE: usize = 160;
pub const MAX_DESCRIPTION: usize = 10_000;
/// Maximum length of a name that a report repeats.
pub(super) const MAX_CLIP_CHARS: usize = 80;

/// Shortens a text for a report, and replaces control characters: PostgreSQL does not accept NUL, and a terminal interprets the others.
pub fn clip(text: &str) -> String {
    let harmless = |c: char| {
        if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }
    };
    let mut rest = text.chars().map(harmless);
    let mut clipped: String = rest.by_ref().take(MAX_CLIP_CHARS).collect();
    if rest.next().is_some() {
        clipped.push('…');
    }
    clipped
}
