//! The public site: what players, press and crawlers see. Its texts are in `texts/`, one file a language.

pub mod africa;
pub mod amount;
pub mod articles;
pub mod cards;
pub mod creators;
pub mod currencies;
pub mod embed;
pub mod events;
pub mod feed;
pub mod frame;
pub mod games;
pub mod language;
pub mod list;
mod locale;
pub mod notes;
pub mod places;
pub mod rank_plot;
pub mod rankings;
pub mod results;
pub mod share;
#[cfg(test)]
mod tests;
pub mod texts;
pub mod voting;

pub use frame::{Frame, Head};
pub use language::Language;
pub use share::Share;
pub use texts::Texts;

/// What names are sorted by: their letters without accents and case, so that `Égypte` stands at E.
pub fn sort_key(name: &str) -> String {
    let plain = |c: char| match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        other => other,
    };
    name.to_lowercase().chars().map(plain).collect()
}
