//! The kinds of entity that listings-svc owns.

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Every kind stands after the kinds that it refers to.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Entity {
    Genre,
    Country,
    City,
    /// The page of a studio or a person.
    Page,
    Game,
    Event,
}

impl Entity {
    /// The name on the feed and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kind of listings with this name.
    pub fn of_listings(name: &str) -> Option<Self> {
        name.parse().ok().filter(|kind: &Self| kind.is_listing())
    }

    /// Whether the kind belongs to the live or the test dataset; the gazetteer serves both.
    pub const fn is_listing(self) -> bool {
        matches!(self, Self::Page | Self::Game | Self::Event)
    }
}
