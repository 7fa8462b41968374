//! The catalogue in memory: one writer, any number of readers, no lock.
//!
//! A [`State`] is one moment. Its parts are shared and copied on write, so publishing the next moment costs what the change touched,
//! and whoever still reads the last one is not disturbed.
//!
//! What is listed stands on a [`Shelf`], one for each kind and mode; all that differs between kinds is in [`Listed`].

mod bits;
mod catalogue;
mod chunk;
mod cities;
mod creators;
mod events;
mod games;
mod listed;
mod moment;
mod named;
mod paged;
mod places;
mod query;
mod rendered;
mod search;
mod shelf;
mod state;
mod vocabulary;
mod writer;

pub use catalogue::Catalogue;
pub use cities::City;
pub use creators::{Creator, Maker};
pub use events::Event;
pub use games::Game;
pub use listed::{Listed, Terms};
pub use query::{Page, Question};
pub use rendered::Rendered;
pub use search::{Hit, Hits, Kind, Mark, Search};
pub use shelf::Shelf;
pub use state::{Genres, State, World};
pub use writer::Writer;

/// Rows in a chunk at most.
pub const CHUNK_ROWS: u16 = 4_096;
