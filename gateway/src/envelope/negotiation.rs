//! Content negotiation: method, `If-None-Match` and `Accept-Encoding` of a request.

use http::{HeaderMap, Method};

use super::etag::{ETag, IfNoneMatch};
use crate::coding::{AcceptEncoding, Coding};

/// Up to this many bytes of `data`, a response fits into one packet with or without compression.
const MAX_UNCOMPRESSED: usize = 1_024;

/// The request's headers about the form of the response. They are read before the request is passed on.
#[derive(Debug, Clone)]
pub struct Negotiation {
    method: Method,
    if_none_match: IfNoneMatch,
    accept_encoding: AcceptEncoding,
}

impl Negotiation {
    pub fn from_headers(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            method: method.clone(),
            if_none_match: IfNoneMatch::from_headers(headers),
            accept_encoding: AcceptEncoding::from_headers(headers),
        }
    }

    /// GET or HEAD: the response has an `ETag` and may be compressed.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    pub(super) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    /// Whether the client already has the response with this tag.
    pub(super) fn if_none_match(&self, tag: &ETag) -> bool {
        self.if_none_match.matches(tag)
    }

    /// The coding for this many bytes of `data`; `None` for none.
    pub(super) fn coding(&self, length: usize) -> Option<Coding> {
        self.accept_encoding.best(length <= MAX_UNCOMPRESSED)
    }
}
