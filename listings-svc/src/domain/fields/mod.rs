//! Reads the fields of listings.
//!
//! Each kind has one reader, for accounts, staff and files. They differ in the fields that they may give, not in how a field is read.

mod event;
mod game;
mod page;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::city::Place;
use super::entity::Entity;
use super::field_reader::{Fields, Problems};
use super::listing::{Content, Listing, RowContent};
use super::reference_data::ReferenceData;

/// Reason for a field that the service sets.
const SET_BY_SERVICE: &str = "The service sets this time: leave it out.";
/// Reason for a slug or a handle.
const NEVER_CHANGES: &str = "It never changes: leave it out.";

/// Who gives the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Account,
    /// A member of staff, who changes a listing.
    Staff,
    /// A file that staff import, or that is part of the service.
    File,
}

/// Where fields come from, and what they apply to.
#[derive(Debug)]
pub struct Input<'a> {
    pub who: Who,
    pub reference: &'a ReferenceData,
    /// The listing that the fields change; `None` for a new one.
    pub current: Option<&'a Listing>,
    /// Read-only fields as a read returns them: a client may send back the whole listing, with its changes.
    pub representation: Map<String, Value>,
}

impl Input<'_> {
    /// Refuses fields that the caller cannot set, each with its reason, unless they have the value that a read returns.
    fn read_only(&self, fields: &mut Fields<'_>, rules: &[(&'static str, &str)]) {
        for &(name, reason) in rules {
            fields.read_only(name, || self.representation.get(name), reason);
        }
    }

    /// Reads the place of a listing; `city` reads the city that an account gives.
    fn place(
        &self,
        fields: &mut Fields<'_>,
        current: Place,
        city: impl FnOnce(&mut Fields<'_>) -> String,
    ) -> Place {
        match self.who {
            Who::Account => Place::from_body(fields, current, city),
            Who::Staff | Who::File => Place::from_row(fields, current),
        }
    }
}

/// Reads the body of an account: a new listing or, with `current` and its read-only fields as a read returns them, the changed fields.
pub fn read_body(
    entity: Entity,
    body: &Map<String, Value>,
    reference: &ReferenceData,
    current: Option<(&Listing, Map<String, Value>)>,
) -> Result<Content, Problems> {
    let (current, representation) = current.unzip();
    let input = Input {
        who: Who::Account,
        reference,
        current,
        representation: representation.unwrap_or_default(),
    };
    let mut fields = match current {
        Some(_) => Fields::for_change(body),
        None => Fields::new(body),
    };
    let content = read(entity, &mut fields, &input);
    fields.finish(content)
}

/// Reads the fields of a listing that staff change; returns its content after that.
pub fn read_edit(
    changes: &Map<String, Value>,
    reference: &ReferenceData,
    current: &Listing,
) -> Result<Content, Problems> {
    let key = key_field(current.entity());
    let input = Input {
        who: Who::Staff,
        reference,
        current: Some(current),
        representation: Map::from_iter([(key.to_owned(), current.name().into())]),
    };
    let mut fields = Fields::for_change(changes);
    input.read_only(&mut fields, &[(key, NEVER_CHANGES)]);
    let times = ["created_at", "updated_at"].map(|name| (name, SET_BY_SERVICE));
    input.read_only(&mut fields, &times);
    let content = read(current.entity(), &mut fields, &input);
    fields.finish(content)
}

/// Reads a row of a file.
pub fn read_row(
    entity: Entity,
    row: &Map<String, Value>,
    reference: &ReferenceData,
) -> Result<RowContent, Problems> {
    let input = Input { who: Who::File, reference, current: None, representation: Map::new() };
    let mut fields = Fields::new(row);
    let mut content = read(entity, &mut fields, &input);
    content.set_name(fields.slug(key_field(entity)));
    let (created_at, updated_at) = fields.row_times(reference.no_later_than);
    fields.finish(RowContent { content, created_at, updated_at, hidden_by_page: false })
}

/// The field that identifies a listing of a kind.
pub const fn key_field(entity: Entity) -> &'static str {
    match entity {
        Entity::Page => "handle",
        Entity::Game | Entity::Event => "slug",
    }
}

/// Reads the fields into the content. Invalid fields are recorded in `fields`; the result is valid only if there are none.
fn read(entity: Entity, fields: &mut Fields<'_>, input: &Input<'_>) -> Content {
    let current = input.current.map(|listing| &listing.content);
    match entity {
        Entity::Page => Content::Page(page::read(fields, input, current.and_then(Content::page))),
        Entity::Game => Content::Game(game::read(fields, input, current.and_then(Content::game))),
        Entity::Event => {
            Content::Event(event::read(fields, input, current.and_then(Content::event)))
        }
    }
}
