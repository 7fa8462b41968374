//! The body of a call of an account (§4.3): a new page, game or event, or the changed fields of an existing one.
//!
//! A client may send back a whole row as it read it, with its changes: a read-only field is ignored while it has the value that a read
//! returns.

pub mod json;

use serde_json::{Map, Value};

use super::field_reader::{Fields, Problems};
use super::listing::Listing;
use super::reference_data::ReferenceData;

/// The listing that a body changes, and its public representation.
pub struct CurrentListing<'a, C> {
    pub listing: &'a Listing<C>,
    /// The read-only fields, as a read of the listing returns them.
    pub representation: Map<String, Value>,
}

/// Refuses fields that accounts cannot change, each with its error, unless they have the value that a read returns.
pub fn read_only<C>(
    fields: &mut Fields<'_>,
    rules: &[(&'static str, &str)],
    current: Option<&CurrentListing<'_, C>>,
) {
    for &(name, reason) in rules {
        let stored = || current.and_then(|current| current.representation.get(name));
        fields.read_only(name, stored, reason);
    }
}

/// Content that accounts send.
pub trait Body: Sized {
    type Output;

    /// Reads the body of a new listing or, with `current`, of a change. Records invalid fields in `fields`; the result is valid only if
    /// there is none.
    fn read(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        current: Option<&CurrentListing<'_, Self>>,
    ) -> Self::Output;
}

/// Reads a body, or returns every invalid field at once.
pub fn read<B: Body>(
    body: &Map<String, Value>,
    reference: &ReferenceData,
    current: Option<&CurrentListing<'_, B>>,
) -> Result<B::Output, Problems> {
    let mut fields = if current.is_some() {
        Fields::of_change(body)
    } else {
        Fields::new(body)
    };
    let read = B::read(&mut fields, reference, current);
    fields.finish(read)
}
