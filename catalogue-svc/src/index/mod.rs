//! The catalogue in memory: one writer, any number of readers, no lock.
//!
//! A [`Snapshot`] is one moment. Its parts are shared and copied on write, so publishing the next moment costs what the change touched,
//! and whoever still reads the last one is not disturbed.
//!
//! What is listed is in an [`Index`], one for each kind and mode; all that differs between kinds is in [`Document`].

mod bits;
mod bulk;
mod catalogue;
mod changes;
mod chunk;
mod cities;
mod creators;
mod document;
pub mod entity;
mod events;
mod games;
mod listing_index;
mod order_walk;
mod parallel;
mod places;
mod postings;
mod query;
mod ranking;
mod rendered;
mod search;
mod snapshot;
mod term_dictionary;
mod terms;
mod texts;
mod timestamp;
mod writer;

pub use catalogue::Catalogue;
pub use changes::{ChangeLog, Listing, ListingChange};
pub use cities::City;
pub use creators::{Creator, CreatorSummary};
pub use document::{Document, IndexedFields};
pub use events::Event;
pub use games::Game;
pub use listing_index::Index;
pub use order_walk::Direction;
pub use query::{Query, ResultPage};
pub use rendered::Rendered;
pub use search::{Hit, HitKind, Hits, Search, SearchCursor};
pub use snapshot::{Dataset, Genres, Snapshot};
pub use writer::IndexWriter;

/// Rows in a chunk at most.
pub const CHUNK_ROWS: u16 = 4_096;
