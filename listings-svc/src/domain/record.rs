//! What the service stores of an entity, and how an import row creates or changes it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use super::FromImportRow;
use super::entity::Entity;
use super::listing::{Draft, Listing};
use super::mode::Mode;

/// The content of an entity.
pub trait Content: Clone + PartialEq + Send + Sync + 'static {
    const ENTITY: Entity;

    /// The slug, handle, key or code, which never changes.
    fn key(&self) -> &str;

    /// This content with the uploaded pictures of `before` where it names no pictures; `None` when that adds none.
    fn with_uploaded_pictures_of(&self, _before: &Self) -> Option<Self> {
        None
    }
}

/// An entity as it is stored.
pub trait Record: Sized + Send + Sync + 'static {
    /// The content of an import row.
    type Draft: FromImportRow + Send + Sync + 'static;
    const ENTITY: Entity;

    fn draft_key(draft: &Self::Draft) -> &str;
    fn key(&self) -> &str;
    fn revision(&self) -> i64;
    /// A new record. Kinds without an id ignore `id`.
    fn from_draft(draft: &Self::Draft, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self;
    /// The record after an import of `draft`; `None` when the draft changes nothing.
    fn apply_draft(&self, draft: &Self::Draft, now: OffsetDateTime) -> Option<Self>;
}

/// An entry of the gazetteer: a genre, a country or a city.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GazetteerEntry<C> {
    pub revision: i64,
    #[serde(flatten)]
    pub content: C,
}

impl<C: Content + FromImportRow> Record for GazetteerEntry<C> {
    type Draft = C;
    const ENTITY: Entity = C::ENTITY;

    fn draft_key(draft: &C) -> &str {
        draft.key()
    }

    fn key(&self) -> &str {
        self.content.key()
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn from_draft(draft: &C, _id: Uuid, _mode: Mode, _now: OffsetDateTime) -> Self {
        Self {
            revision: 1,
            content: draft.clone(),
        }
    }

    fn apply_draft(&self, draft: &C, _now: OffsetDateTime) -> Option<Self> {
        (self.content != *draft).then(|| Self {
            revision: self.revision + 1,
            content: draft.clone(),
        })
    }
}

impl<C: Content> Record for Listing<C>
where
    Draft<C>: FromImportRow,
{
    type Draft = Draft<C>;
    const ENTITY: Entity = C::ENTITY;

    fn draft_key(draft: &Draft<C>) -> &str {
        draft.content.key()
    }

    fn key(&self) -> &str {
        self.content.key()
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn from_draft(draft: &Draft<C>, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self {
        Self::imported(id, mode, draft.clone(), now)
    }

    fn apply_draft(&self, draft: &Draft<C>, now: OffsetDateTime) -> Option<Self> {
        match draft.content.with_uploaded_pictures_of(&self.content) {
            Some(content) => self.apply_import(&draft.with_content(content), now),
            None => self.apply_import(draft, now),
        }
    }
}
