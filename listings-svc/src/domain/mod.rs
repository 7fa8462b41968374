//! What a listing is and what it may hold. Pure: no database, no network, no clock; what is known of the rest of the directory and
//! what time it is are arguments.

pub mod address;
pub mod amendment;
pub mod body;
pub mod city;
pub mod country;
pub mod deed;
pub mod difference;
pub mod entity;
pub mod event;
pub mod fields;
pub mod game;
pub mod gazetteer;
pub mod genre;
pub mod known;
pub mod links;
pub mod listing;
pub mod lists;
pub mod mode;
pub mod page;
pub mod picture;
pub mod record;
pub mod slug;
pub mod state;
pub mod suggest;
pub mod text;

use serde_json::{Map, Value};

use fields::{Fields, Problems};
use known::Known;

/// Something that can be read from a row of a file.
pub trait Read: Sized {
    /// The field that names a row.
    const NAME: &'static str;

    /// Reads a row. Bad fields are noted on `fields`; what is returned counts only if there is none.
    fn read(fields: &mut Fields<'_>, known: &Known) -> Self;
}

/// Reads a row, or says what is wrong with it: every bad field at once.
pub fn read<T: Read>(row: &Map<String, Value>, known: &Known) -> Result<T, Problems> {
    let mut fields = Fields::new(row);
    let read = T::read(&mut fields, known);
    fields.finish(read)
}
