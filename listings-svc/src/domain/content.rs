//! The content of entries of the gazetteer.

use super::entity::Entity;

/// The content of an entry.
pub trait Content: Clone + PartialEq + Send + Sync + 'static {
    const ENTITY: Entity;

    /// The slug, key or code, which never changes.
    fn key(&self) -> &str;
}
