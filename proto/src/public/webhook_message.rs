//! `GET /webhooks/messages` (§10.17).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use utoipa::ToSchema;

use super::{MessageEvent, Timestamp, WebhookListing, WebhookMove};

/// A message that an endpoint of the account gets, for a caller that pulls it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "cursor": "MTc5MzQ5MTIwMA", "id": "0199f3a2-9d44-7a05-b6c1-2e8f74d0a913", "event": "listing.updated",
    "created_at": "2026-03-01T08:00:00.000Z",
    "data": {
        "kind": "game", "slug": "karoo-drift", "name": "Karoo Drift", "url": "https://mchezo.example/games/karoo-drift",
        "api": "/games/karoo-drift",
    },
    "body": "{\"id\":\"0199f3a2-9d44-7a05-b6c1-2e8f74d0a913\",\"event\":\"listing.updated\",…}",
}))]
pub struct WebhookMessage {
    /// The value of `after` that continues after this message.
    pub cursor: String,
    /// A UUID; the same as in the body.
    #[schema(format = "uuid")]
    pub id: String,
    /// `listing.published`, `listing.updated`, `tip.paid` or `ranking.moved`.
    #[schema(value_type = MessageEvent)]
    pub event: String,
    /// When the change was made, as in the body.
    pub created_at: Timestamp,
    /// As in the body.
    #[schema(value_type = WebhookData)]
    pub data: Box<RawValue>,
    /// The body of a delivery, byte for byte. The signature is computed from it.
    pub body: String,
}

/// `data` of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum WebhookData {
    /// Of `ranking.moved`.
    Move(WebhookMove),
    /// Of all others.
    Listing(WebhookListing),
}
