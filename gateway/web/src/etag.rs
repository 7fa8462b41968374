//! The `ETag` of public pages and files: a hash of the body, which changes with the page.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use http::{HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use xxhash_rust::xxh3::xxh3_128;

use crate::page_error::PageError;

/// Caches may store a response, and ask each time whether it is still the same.
pub(crate) const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

/// Whether the response is one that caches may store, and ask about each time.
pub(crate) fn is_revalidated(response: &Response) -> bool {
    let caching = response.headers().get(CACHE_CONTROL);
    response.status() == StatusCode::OK && caching == Some(&REVALIDATE)
}

/// Adds a tag to a response with [`REVALIDATE`].
///
/// The hash is not cryptographic: a studio that finds two texts with the same hash hides only its own change.
pub(crate) async fn tag(response: Response) -> Response {
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

/// Whether the client has the response with this tag, by the lines of its `If-None-Match` (RFC 9110, 13.1.2). Our tags have no comma.
pub(crate) fn is_known<'a>(sent: impl IntoIterator<Item = &'a HeaderValue>, tag: &str) -> bool {
    let lines = sent.into_iter().filter_map(|line| line.to_str().ok());
    let mut sent = lines.flat_map(|line| line.split(',')).map(str::trim);
    let tag = tag.trim_start_matches("W/");
    sent.any(|sent| sent == "*" || sent.trim_start_matches("W/") == tag)
}

/// Answers 304 in place of a response with [`REVALIDATE`] that the client has already; `known` has the lines of its `If-None-Match`.
pub(crate) fn validate(known: &[HeaderValue], mut response: Response) -> Response {
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
    if is_revalidated(&response) && tag.is_some_and(|tag| is_known(known, tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        let headers = response.headers_mut();
        for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING] {
            headers.remove(name);
        }
        *response.body_mut() = Body::empty();
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_compared_weakly() {
        let tag = "W/\"0a1b\"";
        for (sent, known) in [
            ("W/\"0a1b\"", true),
            ("\"0a1b\"", true),
            ("\"x\", W/\"0a1b\"", true),
            ("*", true),
            ("\"0a1\"", false),
            ("0a1b", false),
            ("", false),
        ] {
            let sent = HeaderValue::from_static(sent);
            assert_eq!(is_known([&sent], tag), known, "{sent:?}");
        }
        assert!(!is_known([], tag));
    }
}
