//! `webhook-listen`: prints, verifies and forwards messages during the development of a receiver.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::from_fn;
use axum::routing::post;
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderMap, StatusCode, Uri};

use crate::client::Client;
use crate::clock::now;
use crate::content_encoding;
use crate::signature::Secrets;

#[derive(Debug)]
pub struct Listener {
    pub secrets: Secrets,
    /// Receives verified messages.
    pub forward: Option<Uri>,
    pub client: Client,
    /// Prints a line.
    pub show: fn(&str),
}

/// Accepts messages at any path.
pub fn router(listener: Arc<Listener>) -> Router {
    Router::new()
        .fallback(post(receive))
        .layer(DefaultBodyLimit::max(256 * 1024))
        .layer(from_fn(content_encoding::reject))
        .with_state(listener)
}

async fn receive(
    State(listener): State<Arc<Listener>>,
    mut headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Bytes) {
    let name = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or("-").to_owned()
    };
    let line = format!("{} {}", name("x-service-event"), name("x-service-delivery"));
    if let Err(error) = listener.secrets.verify(&headers, &body, now()) {
        (listener.show)(&format!("{line} rejected: {error}"));
        return (StatusCode::UNAUTHORIZED, Bytes::new());
    }
    // A terminal would interpret control characters; JSON needs none.
    let text = String::from_utf8_lossy(&body).replace(char::is_control, " ");
    (listener.show)(&format!("{line} verified\n  {text}"));
    let Some(url) = &listener.forward else {
        return (StatusCode::OK, Bytes::new());
    };
    // These headers belong to the incoming connection.
    headers.remove(HOST);
    headers.remove(CONTENT_LENGTH);
    match listener.client.post(url, headers, body).await {
        Ok(answer) => {
            (listener.show)(&format!("  {url} answered {}", answer.status.as_u16()));
            (answer.status, answer.body)
        }
        Err(problem) => {
            (listener.show)(&format!("  {url} did not answer: {problem}"));
            (StatusCode::BAD_GATEWAY, Bytes::new())
        }
    }
}
