//! The rules of listings. Pure: no database, no network, no clock; the reference data and the time are arguments.
//!
//! The traits of the entities, each with the question that it answers:
//!
//! | trait | of | question |
//! | --- | --- | --- |
//! | [`Content`](content::Content) | the content of every entity | which kind, which key, which page? |
//! | [`FromImportRow`] | content of the gazetteer, [`RowContent`](listing::RowContent) | what does a row of a file state? |
//! | [`Body`](body::Body) | `Page`, `Game`, `Event` | what does an account send? |
//! | [`Editable`](edit::Editable) | `Page`, `Game`, `Event` | what do staff change? |
//! | [`Importable`](record::Importable) | `Listing`, [`GazetteerEntry`](record::GazetteerEntry) | how does a row create or replace a stored record? |
//! | `RecordTable`, `ListingTable` in `store/mod.rs` | the same; `Listing` | how is it locked, saved and found? |
//! | `Publish` in `feed/mod.rs` | the same | how does the feed encode it? |
//! | `HasPictures` in `write/pictures.rs` | `Page`, `Game` | what does a change of pictures do? |

pub mod address;
pub mod array_fields;
pub mod audit_action;
pub mod body;
pub mod city;
pub mod claim;
pub mod content;
pub mod country;
pub mod difference;
pub mod edit;
pub mod entity;
pub mod event;
pub mod field_reader;
pub mod fields;
pub mod game;
pub mod gazetteer;
pub mod genre;
pub mod links;
pub mod listing;
pub mod listing_name;
pub mod page;
pub mod pictures;
pub mod record;
pub mod reference_data;
pub mod slug;
pub mod state;
pub mod suggest;
pub mod text;
#[cfg(test)]
mod visibility_tests;

pub use kit::api::mode;
use serde_json::{Map, Value};

use field_reader::{Fields, Problems};
use reference_data::ReferenceData;

/// A type that can be read from a row of an import file.
pub trait FromImportRow: Sized {
    /// The field that identifies a row.
    const KEY_FIELD: &'static str;

    /// Reads a row. Records invalid fields in `fields`; the result is valid only if there is none.
    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self;
}

/// Reads a row, or returns every invalid field at once.
pub fn read_import_row<T: FromImportRow>(
    row: &Map<String, Value>,
    reference: &ReferenceData,
) -> Result<T, Problems> {
    let mut fields = Fields::new(row);
    let read = T::from_import_row(&mut fields, reference);
    fields.finish(read)
}
