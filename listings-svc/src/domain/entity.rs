//! The kinds of listings.

use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Every kind stands after the kinds that it refers to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Entity {
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
}
