//! What an account sends of a page, a game or an event (§4.3): all of a new one, or what is to change of one that is there.
//!
//! A whole row as it is read may be sent back with its changes: fields that are only read are passed over while they are as they were
//! shown.

pub mod json;

use std::ops::Deref;

use serde_json::{Map, Value};

use super::fields::{Fields, Problems};
use super::listing::Listing;
use super::reference_data::ReferenceData;

/// A listing that is to be changed, and the object that a read of it gives.
pub struct CurrentListing<'a, C> {
    /// As it is kept.
    pub listing: &'a Listing<C>,
    /// As it is read. Most bodies have only what they change, and do not look at it.
    pub representation: &'a dyn Deref<Target = Map<String, Value>>,
}

impl<C> Clone for CurrentListing<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for CurrentListing<'_, C> {}

/// Something that accounts send.
pub trait Body: Sized {
    /// What came of reading it.
    type Output;

    /// Reads a body: a new one's, or changes of what was there before. Bad fields are noted on `fields`; what is returned counts only
    /// if there is none.
    fn read(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        current: Option<CurrentListing<'_, Self>>,
    ) -> Self::Output;
}

/// Reads a body, or says what is wrong with it: every bad field at once.
pub fn read<B: Body>(
    body: &Map<String, Value>,
    reference: &ReferenceData,
    current: Option<CurrentListing<'_, B>>,
) -> Result<B::Output, Problems> {
    let mut fields = Fields::new(body);
    let read = B::read(&mut fields, reference, current);
    fields.finish(read)
}
