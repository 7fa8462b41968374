//! What an index can hold.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use super::rendered::Rendered;
use crate::domain::days::Days;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::words::Words;

/// A row of a list. It never changes; a change of the listing makes a new one.
pub trait Document: Debug + Clone + Send + Sync {
    /// What stays the same when everything else changes.
    type Id: Debug + Ord;

    /// By what the list is sorted. It ends in the address.
    type Key: Debug + Clone + Ord;

    /// Which listing it is.
    fn id(&self) -> &Self::Id;

    /// Its place in the order.
    fn key(&self) -> &Self::Key;

    /// Its slug or handle.
    fn address(&self) -> &Arc<str>;

    /// Its JSON.
    fn text(&self) -> &Rendered;

    /// All by which it is found.
    fn fields(&self) -> IndexedFields;

    /// Rows of different partitions share no chunk.
    ///
    /// Where the newest rows come first but some stand before them, this lets those that arrive fill chunks from the end, and not
    /// split one in the middle over and over.
    fn partition(_key: &Self::Key) -> bool {
        false
    }
}

/// A row of any kind.
pub trait PublicRow: Debug + Send + Sync {
    /// Its JSON.
    fn rendered(&self) -> &Rendered;
}

impl<L: Document> PublicRow for L {
    fn rendered(&self) -> &Rendered {
        self.text()
    }
}

/// What a row is found by.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IndexedFields {
    /// Values it has, of which there are few.
    pub facets: BTreeSet<Facet>,
    /// Values it has, of which there are many.
    pub keywords: BTreeSet<Keyword>,
    /// Its words, each with the best field that has it.
    pub words: Words,
    /// When it takes place, if it does.
    pub days: Option<Days>,
    /// When it changed last, in microseconds since 1970.
    pub updated_at: i64,
}
