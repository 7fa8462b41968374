//! The catalogue in memory: one writer, any number of readers, no lock.
//!
//! A [`Snapshot`] is the catalogue at one position of the feed. Snapshots share their parts, which are copied on write: publishing the next
//! one costs what the change touched, and readers of the last one are not disturbed.
//!
//! - **[`list`]**: an `Index` holds the public listings of one kind (games, creators, events, cities) and mode. A `Document` says what differs
//!   between kinds: its id, its sort key, its slug or handle, and the fields by which it is found. These are *facets* (genre, platform, country,
//!   stage, kind, creator, role, city), words, and days.
//! - **[`words`]**: which docs have the words of a `q`, also of one with typos.
//! - **[`search`]**: one search over all kinds, by grades.
//! - **JSON** of a listing is rendered once, when the listing changes (`rendered.rs`). A list is put together from rows; the fields that only a
//!   single read has are compressed. The fields that a game shows of its creator are rendered with the creator, and stand in the game's row
//!   when it is read. A creator's games are added to its JSON when the creator is read. Words are read from the row and not stored a second
//!   time.
//! - **Counts** are the indexes' own: an index knows how many rows have a facet, and how many are in a city. Genres and countries are counted
//!   when asked for. Cities are an index; the cities that a batch of changes touched are counted again at its end. The name of a city is that
//!   which its first creator gives it.
//! - **Days** are compared with the day of the call; nothing is stored about today.
//! - A listing is public while its message says that it is visible; listings-svc decides. A game also waits for its page, whose name, country
//!   and city it shows.
//!
//! `src/domain/words.rs` defines what a word is and how letters are folded. A `q` without a letter or digit, such as `!?`, finds nothing. The
//! list of an unknown creator, role or city is empty; an unknown genre, platform, country, stage or kind is `invalid`, and the reason lists
//! the accepted values. Names sort as in Unicode's root collation (`src/domain/collation.rs`).

mod catalogue;
mod cities;
mod creators;
mod doc_set;
mod document;
pub mod entity;
mod events;
mod games;
mod list;
mod places;
mod rendered;
mod search;
mod snapshot;
mod timestamp;
mod words;
mod writer;

pub use catalogue::Catalogue;
pub use cities::City;
pub use creators::{Creator, CreatorSummary};
pub use document::{Document, IndexedFields};
pub use events::Event;
pub use games::Game;
pub use list::{Index, Query, ResultPage};
pub use rendered::{Json, Rendered};
pub use search::{Hit, HitKind, Hits, Search, SearchCursor};
pub use snapshot::{Dataset, Snapshot};
#[expect(clippy::module_name_repetitions, reason = "`Writer` alone would not say of what")]
pub use writer::IndexWriter;
