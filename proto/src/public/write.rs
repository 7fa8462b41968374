//! Responses to POST and PATCH of games and events (§4.3).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ListingStatus, Slug, WriteKind};

/// A game or an event was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "slug": "karoo-drift", "status": "pending", "url": "https://mchezo.example/games/karoo-drift",
    "note": "A person reviews it before it becomes public. GET /me/listings shows its status.",
}))]
pub struct Created {
    /// Never changes.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// `pending`.
    #[schema(value_type = ListingStatus)]
    pub status: String,
    /// Where its public page will be.
    #[schema(format = "uri")]
    pub url: String,
    /// What happens next, for a person.
    pub note: String,
}

/// A game or an event was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"slug": "karoo-drift", "status": "published", "url": "https://mchezo.example/games/karoo-drift"}))]
pub struct Updated {
    /// Never changes.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// Its status.
    #[schema(value_type = ListingStatus)]
    pub status: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// Why the public does not see it although it may be published, such as that its page was taken down; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A write would be accepted; nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
#[schema(example = json!({"dry_run": true, "would": "create", "status": "pending"}))]
pub struct DryRun {
    /// True.
    pub dry_run: bool,
    /// `create` or `update`.
    #[schema(value_type = WriteKind)]
    pub would: String,
    /// The status that the listing would have.
    #[schema(value_type = ListingStatus)]
    pub status: String,
}
