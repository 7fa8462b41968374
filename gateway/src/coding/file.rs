//! A file that is served from memory in every coding.

use std::io;

use bytes::Bytes;
use http::HeaderMap;
use sha2::{Digest as _, Sha256};

use super::{AcceptEncoding, Coding};

/// A file, encoded once in each coding.
#[derive(Debug)]
pub struct EncodedFile {
    plain: Bytes,
    encoded: Vec<(Coding, Bytes)>,
    /// Of the content.
    hash: String,
}

/// The form of a file that a client accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub coding: Option<Coding>,
    pub bytes: Bytes,
    /// Differs between codings, as strong tags must (RFC 9110, 8.8.3.3).
    pub tag: String,
}

impl EncodedFile {
    /// # Errors
    /// A library of a coding failed. No input causes that.
    pub fn new(plain: Vec<u8>) -> io::Result<Self> {
        let encode =
            |coding: Coding| Ok((coding, coding.encode_prefix(&plain)?.finish(&[]).into()));
        let encoded: io::Result<Vec<(Coding, Bytes)>> =
            Coding::ALL.into_iter().map(encode).collect();
        let digest = Sha256::digest(&plain);
        let hash = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
        Ok(Self {
            encoded: encoded?,
            hash: hash.collect(),
            plain: plain.into(),
        })
    }

    /// The form for a client that sends these headers.
    pub fn negotiate(&self, headers: &HeaderMap) -> Encoded {
        let best = AcceptEncoding::from_headers(headers).best(false);
        let found = self
            .encoded
            .iter()
            .find(|(coding, _)| Some(*coding) == best);
        match found {
            Some((coding, bytes)) => Encoded {
                coding: Some(*coding),
                bytes: bytes.clone(),
                tag: format!("{}-{}", self.hash, coding.token()),
            },
            None => Encoded {
                coding: None,
                bytes: self.plain.clone(),
                tag: self.hash.clone(),
            },
        }
    }
}
