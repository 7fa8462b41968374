//! `webhook-listen`: shows, verifies and forwards messages while one develops a receiver.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::post;
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderMap, StatusCode, Uri};

use crate::client::Client;
use crate::clock::now;
use crate::signature::{Secret, VerifyError};

/// What the listener does with a message.
#[derive(Debug)]
pub struct Listener {
    pub secret: Secret,
    /// Where messages go on to.
    pub forward: Option<Uri>,
    pub client: Client,
    /// Shows a line.
    pub show: fn(&str),
}

/// Takes messages at any path.
pub fn router(listener: Arc<Listener>) -> Router {
    Router::new()
        .fallback(post(take))
        .layer(DefaultBodyLimit::max(256 * 1024))
        .with_state(listener)
}

async fn take(
    State(listener): State<Arc<Listener>>,
    mut headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Bytes) {
    let name = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or("-").to_owned()
    };
    let line = format!("{} {}", name("x-service-event"), name("x-service-delivery"));
    if let Err(error) = listener.secret.verify(&headers, &body, now()) {
        (listener.show)(&format!("{line} refused: {}", why(error)));
        return (StatusCode::UNAUTHORIZED, Bytes::new());
    }
    // JSON needs no control characters; a terminal would obey them.
    let text = String::from_utf8_lossy(&body).replace(char::is_control, " ");
    (listener.show)(&format!("{line} verified\n  {text}"));
    let Some(url) = &listener.forward else {
        return (StatusCode::OK, Bytes::new());
    };
    // These are of the connection that it came by.
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

fn why(error: VerifyError) -> &'static str {
    match error {
        VerifyError::NoTimestamp => "it has no x-service-timestamp in seconds",
        VerifyError::WrongTime => "its time is more than 300 seconds from this machine's",
        VerifyError::WrongSignature => "its signature is not by this secret",
    }
}
