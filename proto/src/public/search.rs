//! Search results (§2.5).

use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::{CountryCode, ResultKind};

/// A row of `GET /search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "type": "games", "slug": "karoo-drift", "name": "Karoo Drift", "tagline": "Long roads, little water.", "country_code": "ZA",
    "url": "https://mchezo.example/games/karoo-drift",
}))]
pub struct SearchResult {
    /// As in the filter: `games`, `creators`, `events` or `cities`.
    #[serde(rename = "type")]
    #[schema(value_type = ResultKind)]
    pub kind: String,
    /// Under what it is read.
    #[serde(flatten)]
    pub address: SearchAddress,
    /// Title or name.
    pub name: String,
    /// The pitch in one line; empty for what has none.
    pub tagline: String,
    /// Two letters.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// The first day of an event, `YYYY-MM-DD`. Only events have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = "date")]
    pub starts_at: Option<String>,
}

/// A creator has a handle, everything else a slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchAddress {
    /// Of a game, an event or a city.
    Slug(String),
    /// Of a creator.
    Handle(String),
}

impl PartialSchema for SearchAddress {
    /// Two optional fields: generators of clients cannot read a choice that is a part of an object.
    fn schema() -> RefOr<Schema> {
        let name = |words| {
            let name = ObjectBuilder::new().schema_type(Type::String);
            name.description(Some(words))
        };
        let object = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("slug", name("Of a game, an event or a city."));
        object.property("handle", name("Of a creator.")).into()
    }
}

impl ToSchema for SearchAddress {}
