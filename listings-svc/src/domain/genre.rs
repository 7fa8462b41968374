//! Genres (§2.3).

use serde::{Deserialize, Serialize};

use super::entity::Entity;
use super::fields::Fields;
use super::known::Known;
use super::record::Content;
use super::{Read, text};

/// A kind of game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Genre {
    /// Never changes.
    pub key: String,
    /// For people.
    pub name: String,
    /// Where the fact was seen.
    pub source: String,
}

impl Content for Genre {
    const ENTITY: Entity = Entity::Genre;

    fn key(&self) -> &str {
        &self.key
    }
}

impl Read for Genre {
    const NAME: &'static str = "key";

    fn read(fields: &mut Fields<'_>, _known: &Known) -> Self {
        Self {
            key: fields.slug("key"),
            name: fields.title("name"),
            source: fields.line("source", text::DESCRIPTION),
        }
    }
}
