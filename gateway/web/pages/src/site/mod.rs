//! The public site: what players, press and crawlers see.

pub mod africa;
pub mod amount;
pub mod articles;
pub mod cards;
pub mod creators;
pub mod currencies;
pub mod design;
pub mod embed;
pub mod events;
pub mod feed;
pub mod frame;
pub mod games;
pub mod list;
pub mod notes;
pub mod places;
pub mod rank_plot;
pub mod rankings;
pub mod results;
pub mod share;
#[cfg(test)]
mod tests;
pub mod voting;

pub use crate::language::Language;
pub use crate::texts::{self, Texts};
pub use frame::{Frame, Head};
pub use share::Share;

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
