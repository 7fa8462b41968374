//! Genres (§2.3).

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::entity::Entity;
use super::field_reader::Fields;
use super::reference_data::ReferenceData;
use super::{FromImportRow, text};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Genre {
    /// Never changes.
    pub key: String,
    pub name: String,
    /// Where the data was collected.
    pub source: String,
}

impl Content for Genre {
    const ENTITY: Entity = Entity::Genre;

    fn key(&self) -> &str {
        &self.key
    }
}

impl FromImportRow for Genre {
    const KEY_FIELD: &'static str = "key";

    fn from_import_row(fields: &mut Fields<'_>, _reference: &ReferenceData) -> Self {
        Self {
            key: fields.slug("key"),
            name: fields.title("name"),
            source: fields.line("source", text::MAX_DESCRIPTION),
        }
    }
}
