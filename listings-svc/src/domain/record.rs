//! What is kept of an entity beside its content, and how a row of a file becomes or changes it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Read;
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
    fn keeping_pictures(&self, _before: &Self) -> Option<Self> {
        None
    }
}

/// An entity as it is kept.
pub trait Record: Sized + Send + Sync + 'static {
    /// What a row of a file states.
    type Draft: Read + Send + Sync + 'static;
    /// Its kind.
    const ENTITY: Entity;

    /// The key that a row gives.
    fn draft_key(draft: &Self::Draft) -> &str;
    /// Its key.
    fn key(&self) -> &str;
    /// Counts its changes.
    fn revision(&self) -> i64;
    /// A new one by import. `id` is taken if it has ids.
    fn created(draft: &Self::Draft, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self;
    /// What a row makes of it; `None` when the row says nothing new.
    fn amended(&self, draft: &Self::Draft, now: OffsetDateTime) -> Option<Self>;
}

/// An entry of the gazetteer, with its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<C> {
    /// Counts its changes.
    pub revision: i64,
    /// What is known of it.
    #[serde(flatten)]
    pub content: C,
}

impl<C: Content + Read> Record for Entry<C> {
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

    fn created(draft: &C, _id: Uuid, _mode: Mode, _now: OffsetDateTime) -> Self {
        Self {
            revision: 1,
            content: draft.clone(),
        }
    }

    fn amended(&self, draft: &C, _now: OffsetDateTime) -> Option<Self> {
        (self.content != *draft).then(|| Self {
            revision: self.revision + 1,
            content: draft.clone(),
        })
    }
}

impl<C: Content> Record for Listing<C>
where
    Draft<C>: Read,
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

    fn created(draft: &Draft<C>, id: Uuid, mode: Mode, now: OffsetDateTime) -> Self {
        Self::imported(id, mode, draft.clone(), now)
    }

    fn amended(&self, draft: &Draft<C>, now: OffsetDateTime) -> Option<Self> {
        match draft.content.keeping_pictures(&self.content) {
            Some(content) => self.amended_by(&draft.with(content), now),
            None => self.amended_by(draft, now),
        }
    }
}
