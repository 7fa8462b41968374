//! The rows of an index.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use super::rendered::Rendered;
use crate::domain::days::Days;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::words::Words;

/// A row of a list. It is immutable: a change of the listing makes a new row.
pub trait Document: Debug + Clone + Send + Sync {
    /// Identifies the listing across all its changes.
    type Id: Debug + Ord;

    /// The sort key of the list. It ends in the address.
    type Key: Debug + Clone + Ord;

    /// The id of the listing.
    fn id(&self) -> &Self::Id;

    /// Its sort key.
    fn key(&self) -> &Self::Key;

    /// Its slug or handle.
    fn address(&self) -> &Arc<str>;

    /// Its JSON.
    fn text(&self) -> &Rendered;

    /// The values by which queries find it.
    fn fields(&self) -> IndexedFields;

    /// Rows of different partitions share no chunk.
    ///
    /// In a list with the newest rows first, but after some others (featured games), new rows then fill chunks from the end, and do not
    /// split a chunk in the middle again and again.
    fn partition(_key: &Self::Key) -> bool {
        false
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
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IndexedFields {
    /// Values of fields with few values.
    pub facets: BTreeSet<Facet>,
    /// Values of fields with many values.
    pub keywords: BTreeSet<Keyword>,
    /// Its words, each with the field that has it.
    pub words: Words,
    /// The days of an event.
    pub days: Option<Days>,
    /// The time of its last change, in microseconds since 1970.
    pub updated_at: i64,
}
