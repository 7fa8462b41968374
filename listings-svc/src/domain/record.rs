//! What is kept of an entity beside its content, and how a row of a file becomes or changes it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use super::FromImportRow;
use super::entity::Entity;
use super::listing::{Draft, Listing};
use super::mode::Mode;

/// What an entity says of itself.
pub trait Content: Clone + PartialEq + Send + Sync + 'static {
    /// Its kind.
    const ENTITY: Entity;

    /// The slug, handle, key or code that names it for good.
    fn key(&self) -> &str;

    /// This content with pictures that were uploaded and that it names none in place of; `None` when there are none to keep.
    fn with_uploaded_pictures_of(&self, _before: &Self) -> Option<Self> {
        None
    }
}

/// An entity as it is kept.
pub trait Record: Sized + Send + Sync + 'static {
    /// What a row of a file states.
    type Draft: FromImportRow + Send + Sync + 'static;
    /// Its kind.
    const ENTITY: Entity;

    /// The key that a row gives.
    fn draft_key(draft: &Self::Draft) -> &str;
    /// Its key.
    fn key(&self) -> &str;
    /// Counts its changes.
    fn revision(&self) -> i64;
    /// A new one by import. `id` is taken if it has ids.
    fn from_draft(draft: &Self::Draft, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self;
    /// What a row makes of it; `None` when the row says nothing new.
    fn apply_draft(&self, draft: &Self::Draft, now: OffsetDateTime) -> Option<Self>;
}

/// An entry of the gazetteer, with its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GazetteerEntry<C> {
    /// Counts its changes.
    pub revision: i64,
    /// What is known of it.
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
