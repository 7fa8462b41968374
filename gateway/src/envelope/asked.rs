//! What a request says of the form of its answer.

use http::{HeaderMap, Method};

use super::tag::{Known, Tag};
use crate::coding::{Accepted, Coding};

/// Up to so many bytes of `data` make an answer that fits into a packet, coded or not.
const SMALL: usize = 1_024;

/// How an answer is asked for. It is read off the request before that goes its way.
#[derive(Debug, Clone)]
pub struct Asked {
    method: Method,
    known: Known,
    accepted: Accepted,
}

impl Asked {
    /// How a request with this method and these headers asks.
    pub fn by(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            method: method.clone(),
            known: Known::by(headers),
            accepted: Accepted::by(headers),
        }
    }

    /// GET or HEAD: what is answered has a tag and may be coded.
    pub(super) fn reads(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Headers only.
    pub(super) fn wants_no_body(&self) -> bool {
        self.method == Method::HEAD
    }

    /// Whether the caller has the answer already.
    pub(super) fn has(&self, tag: &Tag) -> bool {
        self.known.has(tag)
    }

    /// The coding to answer so many bytes of data in.
    pub(super) fn coding(&self, length: usize) -> Option<Coding> {
        self.accepted.best(length <= SMALL)
    }
}
