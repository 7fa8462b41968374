//! What is true of listings without any storage or transport: their orders, what they can be filtered by, and their words.

pub mod changes;
pub mod collation;
pub mod days;
pub mod facet;
pub mod keyword;
pub mod listing;
pub mod moment;
pub mod order;
pub mod typo;
pub mod words;
