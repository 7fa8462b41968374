//! Which listing is meant.

use super::entity::Entity;
use super::mode::Mode;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingName {
    /// A page, a game or an event.
    pub entity: Entity,
    pub mode: Mode,
    /// The slug or the handle.
    pub key: String,
}

impl ListingName {
    /// The live page with this handle.
    pub fn page(handle: &str) -> Self {
        Self { entity: Entity::Page, mode: Mode::Live, key: handle.to_owned() }
    }
}
