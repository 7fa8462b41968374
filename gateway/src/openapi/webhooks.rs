//! The section of webhooks (§6): the requests to a receiver.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::examples;
use super::operation::Tag;
use super::reference::{body, reference};

/// Each event with the schema of its `data` and when it is sent.
const EVENTS: [(&str, &str, &str); 5] = [
    (
        "listing.published",
        "WebhookListing",
        "A listing that staff approved is visible for the first time.",
    ),
    ("listing.updated", "WebhookListing", "A visible listing was edited."),
    (
        "tip.paid",
        "WebhookListing",
        "A player tipped a game. Only the maker of the game gets this event.",
    ),
    (
        "ranking.moved",
        "WebhookMove",
        "A listing's rank on the weekly board has changed at the daily check, 04:00 UTC.",
    ),
    ("ping", "WebhookPing", "A user pressed *Send a test event*."),
];

/// Each header with whether every delivery has it.
const HEADERS: [(&str, bool, &str); 9] = [
    ("x-service-event", true, "The event's name."),
    ("x-service-delivery", true, "The body's `id`."),
    ("x-service-timestamp", true, "Unix time in whole seconds."),
    (
        "x-service-signature",
        true,
        "HMAC-SHA256 of the timestamp, a dot and the exact bytes of the body, keyed with the signing secret, in lower-case hex.",
    ),
    (
        "x-service-signature-next",
        false,
        "The same with the new secret, while the secret is rotated.",
    ),
    ("webhook-id", true, "The body's `id` (Standard Webhooks)."),
    ("webhook-timestamp", true, "Unix time in whole seconds (Standard Webhooks)."),
    (
        "webhook-signature",
        true,
        "`v1,` and the signature in base64; several are separated by spaces (Standard Webhooks).",
    ),
    ("traceparent", false, "The trace of this attempt in our collector (W3C Trace Context)."),
];

/// The bodies of the requests, by the names of their schemas.
pub(super) fn schemas() -> impl Iterator<Item = (String, Value)> {
    let events = EVENTS.into_iter();
    events.map(|(event, data, _)| (schema_name(event), message(event, data)))
}

/// `listing.published` → `ListingPublishedEvent`
fn schema_name(event: &str) -> String {
    let words = event.split('.').map(|word| {
        let (first, rest) = word.split_at(1);
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.chain(["Event".to_owned()]).collect()
}

pub(super) fn webhooks(schemas: &BTreeMap<String, Value>) -> Map<String, Value> {
    let webhook = |(event, _, when): (&str, &str, &str)| {
        let mut operation = json!({
            "operationId": format!("on.{event}"),
            "summary": when,
            "tags": [Tag::Receivers.texts().0],
            "parameters": parameters(event),
            "requestBody": {"required": true, "content": body(&reference(&schema_name(event)))},
            "responses": responses(),
            // The signature authenticates a delivery.
            "security": [],
        });
        examples::add_to_body(&mut operation["requestBody"], schemas);
        (event.to_owned(), json!({"post": operation}))
    };
    EVENTS.into_iter().map(webhook).collect()
}

fn parameters(event: &str) -> Vec<Value> {
    let parameter = |(name, required, description): (&str, bool, &str)| {
        let schema = match name {
            "x-service-event" => json!({"type": "string", "const": event}),
            "x-service-delivery" | "webhook-id" => json!({"type": "string", "format": "uuid"}),
            "x-service-timestamp" | "webhook-timestamp" => json!({"type": "integer"}),
            "webhook-signature" | "traceparent" => json!({"type": "string"}),
            _ => json!({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
        };
        json!({"name": name, "in": "header", "required": required, "description": description, "schema": schema})
    };
    HEADERS.into_iter().map(parameter).collect()
}

fn message(event: &str, data: &str) -> Value {
    let words = "A retry has the same `id`; later deliveries may have an earlier `created_at`.";
    json!({
        "type": "object",
        "description": words,
        "properties": {
            "id": {"type": "string", "format": "uuid", "description": "The id of the message: each try has the same one.", "examples": ["0199f3a2-9d44-7a05-b6c1-2e8f74d0a913"]},
            "event": {"type": "string", "const": event},
            "created_at": {"$ref": "#/components/schemas/Timestamp", "description": "When the change was made."},
            "data": reference(data),
        },
        "required": ["id", "event", "created_at", "data"],
    })
}

/// The responses of a receiver (§6.1, §6.6, §6.7).
fn responses() -> Value {
    json!({
        "2XX": {"description": "The message has arrived, now or earlier. The response counts only within the time limit, usually 8 seconds."},
        "400": {"description": "The signature is valid and the body is not JSON. It is tried again."},
        "401": {"description": "The timestamp is absent or more than 300 seconds off, or the signature is not ours. It is tried again."},
        "410": {"description": "The endpoint is gone: it is disabled."},
    })
}
