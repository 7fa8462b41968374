//! The `ETag` of public pages and files: a hash of the body, so that whatever changes a page changes its tag.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use http::{HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use crate::page_error::PageError;
use crate::visit::Visit;

/// Caches may store a response, and ask each time whether it is still the same.
pub(crate) const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

/// Adds the tag to a response with [`REVALIDATE`] that has none, or answers 304 if the client has the response already.
///
/// The hash is fast, not cryptographic: a studio that finds two texts with one hash can hide its own change only.
pub(super) async fn validate(visit: &Visit, response: Response) -> Response {
    let is_revalidated = response.headers().get(CACHE_CONTROL) == Some(&REVALIDATE);
    if response.status() != StatusCode::OK || !is_revalidated {
        return response;
    }
    let (mut head, mut body) = response.into_parts();
    if !head.headers.contains_key(ETAG) {
        let Ok(whole) = body.collect().await else {
            return PageError::internal().into_response();
        };
        let whole = whole.to_bytes();
        // A game in a frame is the same text with and without a language in its path.
        let seed = xxh3_64(visit.prefix.as_bytes());
        let tag = format!("W/\"{:032x}\"", xxh3_128_with_seed(&whole, seed));
        if let Ok(tag) = HeaderValue::try_from(tag) {
            head.headers.insert(ETAG, tag);
        }
        body = Body::from(whole);
    }
    let tag = head.headers.get(ETAG).and_then(|tag| tag.to_str().ok());
    if tag.is_some_and(|tag| visit.has(tag)) {
        head.status = StatusCode::NOT_MODIFIED;
        head.headers.remove(CONTENT_TYPE);
        head.headers.remove(CONTENT_LENGTH);
        body = Body::empty();
    }
    Response::from_parts(head, body)
}
