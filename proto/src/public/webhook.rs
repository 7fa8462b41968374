//! `data` of webhooks (§6).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Slug, WebhookListingKind};

/// A listing at the time of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "kind": "game", "slug": "karoo-drift", "name": "Karoo Drift", "url": "https://mchezo.example/games/karoo-drift",
    "api": "/games/karoo-drift",
}))]
pub struct WebhookListing {
    /// `game`, `studio`, `person` or `event`.
    #[schema(value_type = WebhookListingKind)]
    pub kind: String,
    /// Of games and events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Slug)]
    pub slug: Option<String>,
    /// Of studios and persons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Slug)]
    pub handle: Option<String>,
    /// Title or name.
    pub name: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// Path of the API, below its base URL.
    pub api: String,
}

impl WebhookListing {
    /// A game.
    pub fn game(slug: &str, name: &str, url: &str) -> Self {
        Self::with_slug("game", "games", slug, name, url)
    }

    /// An event.
    pub fn event(slug: &str, name: &str, url: &str) -> Self {
        Self::with_slug("event", "events", slug, name, url)
    }

    /// `kind` is `studio` or `person`.
    pub fn page(kind: &str, handle: &str, name: &str, url: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            slug: None,
            handle: Some(handle.to_owned()),
            name: name.to_owned(),
            url: url.to_owned(),
            api: format!("/creators/{handle}"),
        }
    }

    fn with_slug(kind: &str, folder: &str, slug: &str, name: &str, url: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            slug: Some(slug.to_owned()),
            handle: None,
            name: name.to_owned(),
            url: url.to_owned(),
            api: format!("/{folder}/{slug}"),
        }
    }
}

/// A listing's move on a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "kind": "game", "board": "week", "name": "Karoo Drift", "url": "https://mchezo.example/games/karoo-drift", "rank": 3,
    "previous_rank": 7,
}))]
pub struct WebhookMove {
    /// `game`, `studio` or `person`.
    #[schema(value_type = WebhookListingKind)]
    pub kind: String,
    /// `week`.
    pub board: String,
    /// Title or name.
    pub name: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// From 1; 0 when it left the board.
    pub rank: u32,
    /// 0 when it was not on the board.
    pub previous_rank: u32,
}

/// A test event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"message": "A test event from Mchezo."}))]
pub struct WebhookPing {
    /// For a person.
    pub message: String,
}
