//! The content of the entities.

use uuid::Uuid;

use super::entity::Entity;

/// The content of an entity.
pub trait Content: Clone + PartialEq + Send + Sync + 'static {
    const ENTITY: Entity;

    /// The slug, handle, key or code, which never changes.
    fn key(&self) -> &str;

    /// The page that a game belongs to; nothing else belongs to a page.
    fn page_id(&self) -> Option<Uuid> {
        None
    }
}
