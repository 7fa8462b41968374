//! The rows of an index.

use std::fmt::Debug;
use std::sync::Arc;

use super::rendered::{Json, Rendered};
use crate::domain::days::Days;
use crate::domain::facet::Facet;
use crate::domain::words::{self, Field, Words};

/// A row of a list. It is immutable: a change of the listing makes a new row.
pub trait Document: Debug + Clone + Send + Sync {
    /// Identifies the listing across all its changes.
    type Id: Debug + Ord;

    /// The sort key of the list. It ends in the address.
    type Key: Debug + Clone + Ord + Send + Sync;

    fn id(&self) -> &Self::Id;

    fn key(&self) -> &Self::Key;

    /// Its slug or handle.
    fn address(&self) -> &Arc<str>;

    /// What of its JSON is its own.
    fn text(&self) -> &Rendered;

    fn json(&self) -> Json<'_> {
        self.text().into()
    }

    /// The values by which queries find it.
    fn fields(&self) -> IndexedFields;

    /// The days of an event.
    fn days(&self) -> Option<Days> {
        None
    }

    /// The time of its last change, in microseconds since 1970; of a city, 0.
    fn updated_at(&self) -> i64 {
        0
    }
}

/// The parts of a [`Document`] that its fields are: the types of its id and its sort key, the field with the id, and that with the slug or
/// handle.
macro_rules! document_parts {
    ($id_type:ty, $key_type:ty, $($id:ident).+, $($address:ident).+) => {
        type Id = $id_type;
        type Key = $key_type;

        fn id(&self) -> &$id_type {
            &self.$($id).+
        }

        fn key(&self) -> &$key_type {
            &self.key
        }

        fn address(&self) -> &Arc<str> {
            &self.$($address).+
        }

        fn text(&self) -> &Rendered {
            &self.text
        }
    };
}
pub(super) use document_parts;

/// The values by which queries find a row.
#[derive(Debug, Default)]
pub struct IndexedFields {
    /// The values that filters name, in order.
    pub facets: Vec<Facet>,
    /// Its words, each with the field that has it.
    pub words: Words,
}

impl IndexedFields {
    /// The fields of a row, from its texts. The first text is its title.
    pub(super) fn new<'a>(
        facets: impl Iterator<Item = Facet>,
        texts: impl IntoIterator<Item = (Field, &'a str)>,
    ) -> Self {
        let words = words::of_texts(texts);
        let length = Facet::TitleWords(words.title_length());
        let mut facets: Vec<Facet> = facets.chain([length]).collect();
        facets.sort_unstable();
        facets.dedup();
        Self { facets, words }
    }
}
