//! What is true of listings without any storage or transport: their order, what they can be filtered by, and their words.

pub mod facet;
pub mod listing;
pub mod order;
pub mod words;
