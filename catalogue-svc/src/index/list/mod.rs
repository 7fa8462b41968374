//! The list of one kind and mode: its rows, their order, and what finds them.
//!
//! - **Rows** are in a persistent vector. A row's *doc id* is its number, which it keeps until its key changes.
//! - **Order** is a vector of docs, sorted by their keys: a binary search finds the place of a key, and the row at a position is read
//!   directly. A cursor is a key and does not need its row to exist. The first row that is added, removed or moved after a snapshot copies
//!   this vector and that of addresses (4 and 8 MB at a million rows) and the postings of its short prefixes; each moves the entries behind it.
//! - **A filter** is a set of docs: each facet has one, an array of up to 256 docs or a roaring bitmap. The sets of a query are intersected, the
//!   smallest first; the total is the length of what is left. If many rows are left, the page is found by walking along the order, forwards or
//!   (past events) backwards. If few are, their keys are sorted (`query.rs`). Times of changes (for `updated_since`) and days are compared row by row.
//! - **Identity**: a row is updated and removed by its id; its sort key leads to it. A slug or handle leads to the row that had it last, by its
//!   hash in a sorted vector.
//! - **A start** indexes all rows on all processors: it sorts and numbers them, gathers their facets and words, and builds one transducer
//!   (`bulk.rs`).

mod bulk;
mod listing_index;
mod query;

pub use listing_index::Index;
pub use query::{Query, ResultPage};
