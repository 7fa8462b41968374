//! The content of the entities.

use super::entity::Entity;

/// The content of an entity.
pub trait Content: Clone + PartialEq + Send + Sync + 'static {
    const ENTITY: Entity;

    /// Fields of the content, each with another name that it has in import rows.
    const ROW_ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// The slug, handle, key or code, which never changes.
    fn key(&self) -> &str;
}
