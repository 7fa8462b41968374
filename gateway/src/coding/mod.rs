//! Content codings (RFC 9110, 8.4.1). A response is compressed without compressing the same `data` again.
//!
//! Responses with the same `data` differ only in `meta`, at the end. The part before `meta` is compressed once, up to a byte
//! boundary ([`EncodedPrefix`]), and cached. `meta` is appended uncompressed, which both formats allow. It is about a tenth
//! of a packet.
//!
//! The levels are low, so that the first request for a content is cheap: higher ones take much more time and save few bytes. The test
//! `what_codings_cost` measures them.

mod accept_encoding;
mod cache;
mod file;
mod gzip;
mod zstd;

use std::io;

use bytes::Bytes;

pub use accept_encoding::AcceptEncoding;
pub use cache::EncodedPrefixCache;
pub use file::EncodedFile;

/// A content coding. Clients that accept several equally get the first: zstd is the fastest for both sides, and gzip is the one
/// that everybody has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Zstandard, one frame (RFC 8878).
    Zstd,
    /// gzip, one member (RFC 1952).
    Gzip,
}

/// The encoded beginning of a response body, up to the end of `data`.
#[derive(Debug)]
pub struct EncodedPrefix {
    bytes: Bytes,
    finisher: Finisher,
}

/// How the suffix is appended to the prefix.
#[derive(Debug)]
enum Finisher {
    Zstd(zstd::Finisher),
    Gzip(gzip::Finisher),
    /// Without a coding.
    Identity,
}

impl Coding {
    /// In the order of preference.
    pub const ALL: [Self; 2] = [Self::Zstd, Self::Gzip];

    /// The name in headers.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Encodes the beginning of a response body.
    ///
    /// # Errors
    /// The library failed. No input causes that.
    pub fn encode_prefix(self, prefix: &[u8]) -> io::Result<EncodedPrefix> {
        let (bytes, finisher) = match self {
            Self::Zstd => {
                let (bytes, finisher) = zstd::encode_prefix(prefix)?;
                (bytes, Finisher::Zstd(finisher))
            }
            Self::Gzip => {
                let (bytes, finisher) = gzip::encode_prefix(prefix)?;
                (bytes, Finisher::Gzip(finisher))
            }
        };
        Ok(EncodedPrefix {
            bytes: bytes.into(),
            finisher,
        })
    }
}

impl EncodedPrefix {
    /// A prefix without a coding.
    pub fn identity(prefix: Vec<u8>) -> Self {
        Self {
            bytes: prefix.into(),
            finisher: Finisher::Identity,
        }
    }

    /// The whole body: the prefix and `suffix`.
    pub fn finish(&self, suffix: &[u8]) -> Vec<u8> {
        // Enough for the block headers and the trailer.
        let mut whole = Vec::with_capacity(self.bytes.len() + suffix.len() + 32);
        whole.extend_from_slice(&self.bytes);
        self.write(suffix, &mut whole);
        whole
    }

    /// The whole body in two segments, so that a large prefix is not copied.
    pub fn segments(&self, suffix: &[u8]) -> [Bytes; 2] {
        let mut end = Vec::new();
        self.write(suffix, &mut end);
        [self.bytes.clone(), end.into()]
    }

    fn write(&self, suffix: &[u8], to: &mut Vec<u8>) {
        match &self.finisher {
            Finisher::Zstd(finisher) => finisher.write(suffix, to),
            Finisher::Gzip(finisher) => finisher.write(suffix, to),
            Finisher::Identity => to.extend_from_slice(suffix),
        }
    }

    /// The encoded length, in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The size in memory, in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }
}

#[cfg(test)]
mod tests;
