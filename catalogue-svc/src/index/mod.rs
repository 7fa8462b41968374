//! The catalogue in memory: one writer, any number of readers, no lock.
//!
//! A [`Snapshot`] is the catalogue at one position of the feed. Snapshots share their parts, which are copied on write: publishing the next
//! one costs what the change touched, and readers of the last one are not disturbed.
//!
//! - **An `Index`** holds the public listings of one kind (games, creators, events, cities) and mode. A `Document` says what differs between
//!   kinds: its id, its sort key, its slug or handle, and the fields by which it is found. These are *facets* (genre, platform, country, stage,
//!   kind, creator, role, city), words, and days.
//! - **Rows** are in a persistent vector. A row holds the JSON of its listing, rendered when the listing changes; when a game's page changes,
//!   the creator's fields in it are replaced. A list is put together from these rows. The rest of the single read has the long texts. It is
//!   in a temporary file of the process, which is read on a blocking thread; the page cache of the system holds what is read often
//!   (`texts.rs`). A creator's games are added to its JSON when the creator is read. Titles and taglines are parsed from the row when a
//!   listing is indexed and not stored a second time.
//! - **Order** is an ordered set of sort keys (`order.rs`). A row's *doc id* is its number, which it keeps until its key changes. A cursor is a
//!   place in that order and does not need its row to exist.
//! - **A filter** is a set of docs: each facet has one, an array of up to 256 docs or a roaring bitmap. The sets of a query are intersected, the
//!   smallest first; the total is the length of what is left. If many rows are left, the page is found by walking along the order, forwards or
//!   (past events) backwards. If few are, their keys are sorted; the rows with which the index was built are numbered in their order, and need
//!   no sorting (`query.rs`). Times of changes (for `updated_since`) and days are compared row by row.
//! - **Identity**: a row is updated and removed by its id; its sort key leads to it. A slug or handle leads to the row that had it last.
//! - **Words** are in a finite state transducer that leads to postings: the docs with the word, by the field that has it (start of the title,
//!   title, pitch, pitch and elsewhere, elsewhere). A posting of up to 256 docs is an array, a longer one a roaring bitmap. Postings change
//!   in place. New words wait in a small map until the transducer is built again.
//! - **`q`** counts to its tenth word. Their postings are intersected, the most selective word first, until no doc is left (`terms.rs`).
//! - **Typos** (`domain/typo.rs`, the rule is §4.1 of the contract): a Levenshtein automaton (the crate `levenshtein_automata`, where a swap
//!   of neighbours is one edit) walks the transducer; words without a doc do not count. A word of the query that is no prefix of a known word
//!   stands for the nearest words. If that finds nothing, the query runs again and forgives typos in the rarest of the other words. Two words
//!   of a query are forgiven at most, since the automata of a long word take milliseconds and megabytes; they are dropped after the word. A
//!   search considers the words of all four kinds, a list those of its own kind. Forgiving costs time only where nothing matches.
//! - **The search** grades hits by bitmaps (`ranking.rs`, §4.2): edits, where the words are, whole words, the start of the title. Sets of
//!   docs by the length of their titles are facets and order the hits of a grade. A grade, length and kind is an ordinary page
//!   (`search.rs`), and only the grades of the page are computed. The rank of a hit depends on the hit and the query alone; pages stay
//!   consistent while other listings change.
//! - **A start** indexes all rows on all processors: it converts, sorts and numbers them, gathers their facets and words, and builds one
//!   transducer (`bulk.rs`).
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

mod bulk;
mod catalogue;
mod cities;
mod creators;
mod document;
pub mod entity;
mod events;
mod games;
mod listing_index;
mod order;
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
pub use cities::City;
pub use creators::{Creator, CreatorSummary};
pub use document::{Document, IndexedFields};
pub use events::Event;
pub use games::Game;
pub use listing_index::Index;
pub use query::{Query, ResultPage};
pub use rendered::Rendered;
pub use search::{Hit, HitKind, Hits, Search, SearchCursor};
pub use snapshot::{Dataset, Snapshot};
#[expect(
    clippy::module_name_repetitions,
    reason = "`Writer` alone would not say of what"
)]
pub use writer::IndexWriter;
