//! Rejects a message whose body has a content coding: the service sends none, and nothing here decompresses.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};

/// Answers 415 before anything is read.
pub async fn reject(request: Request, next: Next) -> Response {
    let mut codings = request.headers().get_all(CONTENT_ENCODING).iter();
    let is_identity = |it: &[u8]| it.is_empty() || it.eq_ignore_ascii_case(b"identity");
    let Some(coding) = codings.find(|coding| !is_identity(coding.as_bytes())) else {
        return next.run(request).await;
    };
    let coding = String::from_utf8_lossy(coding.as_bytes());
    let reason = format!("the body has the Content-Encoding {coding}: send it as it is");
    let accepted = [(ACCEPT_ENCODING, "identity")];
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, accepted, reason).into_response()
}
