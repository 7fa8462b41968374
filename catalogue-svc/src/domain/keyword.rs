//! Filter values of fields with many values: each index has a set of rows per value.

use std::sync::Arc;

/// A property that a listing has or has not. Nobody knows all values: one that is unknown is simply nobody's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// A game's maker, by handle.
    Creator(Arc<str>),
    /// What a creator does, by key.
    Role(Arc<str>),
    /// Where it is, by the slug of the city. A game's is its maker's.
    City(Arc<str>),
    /// How many words its title or name has, up to [`words::LONGEST_TITLE`]: a search brings shorter ones first.
    ///
    /// [`words::LONGEST_TITLE`]: crate::domain::words::LONGEST_TITLE
    TitleWords(u8),
}
