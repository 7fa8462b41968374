//! The entries of the gazetteer, as they are stored.

use serde::{Deserialize, Serialize};

use super::content::Content;

/// An entry of the gazetteer: a genre, a country or a city.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GazetteerEntry<C> {
    pub revision: i64,
    #[serde(flatten)]
    pub content: C,
}

impl<C: Content> GazetteerEntry<C> {
    /// The entry with what a row states in place of all that it has; `None` when the row changes nothing.
    pub fn replaced(&self, row: &C) -> Option<Self> {
        (self.content != *row).then(|| Self {
            revision: self.revision + 1,
            content: row.clone(),
        })
    }
}
