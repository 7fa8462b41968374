//! The `ETag` of public pages and files: a hash of the body, so that whatever changes a page changes its tag.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use http::{HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use xxhash_rust::xxh3::xxh3_128;

use crate::page_error::PageError;
use crate::visit::Visit;

/// Caches may store a response, and ask each time whether it is still the same.
pub(crate) const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

/// Whether the response is one that caches may store, and ask about each time.
pub(crate) fn is_revalidated(response: &Response) -> bool {
    let caching = response.headers().get(CACHE_CONTROL);
    response.status() == StatusCode::OK && caching == Some(&REVALIDATE)
}

/// Adds the tag to a response with [`REVALIDATE`] that has none.
///
/// The hash is fast, not cryptographic: a studio that finds two texts with one hash can hide its own change only.
pub(super) async fn tag(response: Response) -> Response {
    if !is_revalidated(&response) || response.headers().contains_key(ETAG) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(whole) = body.collect().await else {
        return PageError::internal().into_response();
    };
    let whole = whole.to_bytes();
    let tag = format!("W/\"{:032x}\"", xxh3_128(&whole));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        head.headers.insert(ETAG, tag);
    }
    Response::from_parts(head, Body::from(whole))
}

/// Answers 304 in place of a response with [`REVALIDATE`] that the client has already.
pub(super) fn validate(visit: &Visit, mut response: Response) -> Response {
    let tag = response
        .headers()
        .get(ETAG)
        .and_then(|tag| tag.to_str().ok());
    if is_revalidated(&response) && tag.is_some_and(|tag| visit.has(tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        let headers = response.headers_mut();
        headers.remove(CONTENT_TYPE);
        headers.remove(CONTENT_LENGTH);
        *response.body_mut() = Body::empty();
    }
    response
}
