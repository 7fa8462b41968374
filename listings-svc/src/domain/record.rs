//! What the service stores of an entity, and how an import row creates or replaces it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use uuid::Uuid;

use super::FromImportRow;
use super::content::Content;
use super::entity::Entity;
use super::listing::{Listing, RowContent};
use super::mode::Mode;

/// An entity as it is stored, which an import row creates.
pub trait Importable: Sized + Send + Sync + 'static {
    /// What an import row states of the entity.
    type Parsed: FromImportRow + Send + Sync + 'static;
    const ENTITY: Entity;

    fn row_key(parsed: &Self::Parsed) -> &str;
    fn key(&self) -> &str;
    fn revision(&self) -> i64;
    fn from_row(parsed: &Self::Parsed, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self;
    /// The record with what the row states in place of all that it has; `None` when the row changes nothing.
    fn replaced(&self, parsed: &Self::Parsed, now: OffsetDateTime) -> Option<Self>;
    fn listing_id(&self) -> Uuid;
}

impl<C: Content + Serialize + DeserializeOwned> Importable for Listing<C>
where
    RowContent<C>: FromImportRow,
{
    type Parsed = RowContent<C>;
    const ENTITY: Entity = C::ENTITY;

    fn row_key(parsed: &RowContent<C>) -> &str {
        parsed.content.key()
    }

    fn key(&self) -> &str {
        self.content.key()
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn from_row(parsed: &RowContent<C>, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self {
        Self::imported(id, mode, parsed.clone(), now)
    }

    fn replaced(&self, parsed: &RowContent<C>, now: OffsetDateTime) -> Option<Self> {
        self.replaced_by(parsed, now)
    }

    fn listing_id(&self) -> Uuid {
        self.id
    }
}
