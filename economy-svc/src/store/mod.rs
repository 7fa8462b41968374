//! The tables of schema `economy`.
//!
//! Only [`crate::write`] changes them, apart from the games and pages, which follow listings-svc, and the players of old tips and swaps,
//! which [`crate::jobs::retention`] removes. A statement that changes what rates and figures show of a currency also counts the change,
//! for the [`version`].

pub mod currencies;
pub mod daily_costs;
pub mod decisions;
pub mod economy;
pub mod games;
pub mod history;
pub mod pages;
pub mod reports;
pub mod swaps;
pub mod tips;
pub mod version;

/// Whether a text has a NUL. PostgreSQL refuses such a text, even as a value to search for.
pub fn has_nul(text: &str) -> bool {
    text.contains('\0')
}

/// The slug to search for. A text with a NUL becomes the empty one, which is no game's slug.
pub fn searchable(slug: &str) -> &str {
    if has_nul(slug) { "" } else { slug }
}
