//! The reference receiver: the six rules of the contract (§6.5 to §6.10), in the order of the code.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::from_fn;
use axum::routing::post;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::clock::now;
use crate::content_encoding;
use crate::inbox::{Acceptance, Inbox};
use crate::signature::Secrets;

/// The events that the receiver processes.
const EVENTS: [&str; 5] = [
    "listing.published",
    "listing.updated",
    "tip.paid",
    "ranking.moved",
    "ping",
];

/// Maximum bytes of a message; the service's are much shorter.
const MAX_BODY: usize = 256 * 1024;

/// The state of a receiver.
#[derive(Debug)]
pub struct Receiver {
    pub secrets: Secrets,
    pub inbox: Inbox,
    /// Wakes the worker.
    pub arrived: Notify,
}

/// The fields of a message that decide the answer.
#[derive(Debug, Deserialize)]
struct Message {
    id: Uuid,
    event: String,
}

/// Accepts messages at any path.
pub fn router(receiver: Arc<Receiver>) -> Router {
    Router::new()
        .fallback(post(receive))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(content_encoding::reject))
        .with_state(receiver)
}

async fn receive(
    State(receiver): State<Arc<Receiver>>,
    headers: HeaderMap,
    // Rule 1: the raw body. Parsing and serializing would change its bytes, and thus its signature.
    body: Bytes,
) -> (StatusCode, &'static str) {
    // Rule 2: verify the signature before parsing.
    if receiver.secrets.verify(&headers, &body, now()).is_err() {
        return (StatusCode::UNAUTHORIZED, "the signature is not valid");
    }
    // Rule 3. JSON is UTF-8 (RFC 8259).
    let text = std::str::from_utf8(&body).ok();
    let Some(text) = text.filter(|it| serde_json::from_str::<IgnoredAny>(it).is_ok()) else {
        return (StatusCode::BAD_REQUEST, "the body is not JSON");
    };
    // Rule 6: ignore unknown events.
    let Ok(message) = serde_json::from_str::<Message>(text) else {
        return (StatusCode::OK, "ignored");
    };
    if !EVENTS.contains(&message.event.as_str()) {
        return (StatusCode::OK, "ignored");
    }
    // Rule 4: an id is stored once. Rule 5: the sender waits for the storing only, not for the work.
    let store = {
        let receiver = Arc::clone(&receiver);
        move || receiver.inbox.accept(message.id, &body, now())
    };
    match tokio::task::spawn_blocking(store).await {
        Ok(Ok(Acceptance::Stored)) => {
            receiver.arrived.notify_one();
            (StatusCode::OK, "accepted")
        }
        Ok(Ok(Acceptance::Duplicate)) => (StatusCode::OK, "known"),
        Ok(Ok(Acceptance::Full)) => (StatusCode::SERVICE_UNAVAILABLE, "too many wait"),
        // Its sender tries again later.
        Ok(Err(_)) | Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "it cannot be stored"),
    }
}
