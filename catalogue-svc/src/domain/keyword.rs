//! Filter values of fields with many values: each index has a set of rows per value.

use std::sync::Arc;

/// A value that a listing may have. There is no list of all values: an unknown one matches no listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// A game's creator, by handle.
    Creator(Arc<str>),
    /// A creator's role, by key.
    Role(Arc<str>),
    /// The slug of its city. A game has the city of its creator.
    City(Arc<str>),
    /// The number of words of its title or name, up to [`words::LONGEST_TITLE`]: a search lists shorter titles first.
    ///
    /// [`words::LONGEST_TITLE`]: crate::domain::words::LONGEST_TITLE
    TitleWords(u8),
}
