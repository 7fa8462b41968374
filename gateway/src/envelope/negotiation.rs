//! Method and `If-None-Match` of a request.

use http::{HeaderMap, Method};

use super::etag::{ETag, IfNoneMatch};

/// What the form of the response depends on. It is read before the request is passed on.
#[derive(Debug, Clone)]
pub struct Negotiation {
    /// GET or HEAD: the response has an `ETag`.
    pub(super) is_read: bool,
    if_none_match: IfNoneMatch,
}

impl Negotiation {
    pub fn from_headers(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            is_read: matches!(*method, Method::GET | Method::HEAD),
            if_none_match: IfNoneMatch::from_headers(headers),
        }
    }

    /// Whether the client already has the response with this tag.
    pub(super) fn if_none_match(&self, tag: &ETag) -> bool {
        self.if_none_match.matches(tag)
    }
}
