//! Content codings (RFC 9110, 8.4.1): an answer compressed without compressing it anew.
//!
//! All answers begin alike and hold the same `data` again and again; only `meta`, at their end, differs from call to call. So the
//! beginning is compressed once, up to the end of a byte ([`Opening`]), and each answer is that and the rest of it as it is, which
//! all three formats allow. The price is that `meta`, a packet's tenth, is not compressed.

mod accept;
mod brotli;
mod gzip;
mod kept;
mod zstd;

use std::io;

use bytes::Bytes;

pub use accept::Accepted;
pub use kept::Openings;

/// A coding, the most wanted first: between equals, zstd costs least to make and to read, and gzip is what everybody has. In size they
/// are within a few percent of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Zstandard, one frame (RFC 8878).
    Zstd,
    /// Brotli (RFC 7932).
    Brotli,
    /// gzip, one member (RFC 1952).
    Gzip,
}

/// The beginning of an answer, compressed.
#[derive(Debug)]
pub struct Opening {
    bytes: Bytes,
    close: Close,
}

/// How the rest of an answer is put behind its opening.
#[derive(Debug)]
enum Close {
    Zstd(zstd::Close),
    Brotli,
    Gzip(gzip::Close),
    /// It is not compressed.
    Plain,
}

impl Coding {
    /// Every coding, the most wanted first.
    pub const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// Its name in headers.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Compresses the beginning of an answer.
    ///
    /// # Errors
    /// The library broke; no input does that.
    pub fn open(self, beginning: &[u8]) -> io::Result<Opening> {
        let (bytes, close) = match self {
            Self::Zstd => {
                let (bytes, close) = zstd::open(beginning)?;
                (bytes, Close::Zstd(close))
            }
            Self::Brotli => (brotli::open(beginning)?, Close::Brotli),
            Self::Gzip => {
                let (bytes, close) = gzip::open(beginning)?;
                (bytes, Close::Gzip(close))
            }
        };
        Ok(Opening {
            bytes: bytes.into(),
            close,
        })
    }
}

impl Opening {
    /// The beginning of an answer that is not compressed.
    pub fn plain(beginning: Vec<u8>) -> Self {
        Self {
            bytes: beginning.into(),
            close: Close::Plain,
        }
    }

    /// The whole answer, of which `rest` is what comes after the opening.
    pub fn close(&self, rest: &[u8]) -> Vec<u8> {
        // What the formats put around a few stored bytes is much less than this.
        let mut whole = Vec::with_capacity(self.bytes.len() + rest.len() + 32);
        whole.extend_from_slice(&self.bytes);
        self.write(rest, &mut whole);
        whole
    }

    /// The same in two parts, so that a large opening is not copied.
    pub fn parts(&self, rest: &[u8]) -> [Bytes; 2] {
        let mut end = Vec::new();
        self.write(rest, &mut end);
        [self.bytes.clone(), end.into()]
    }

    fn write(&self, rest: &[u8], to: &mut Vec<u8>) {
        match &self.close {
            Close::Zstd(close) => close.write(rest, to),
            Close::Brotli => brotli::close(rest, to),
            Close::Gzip(close) => close.write(rest, to),
            Close::Plain => to.extend_from_slice(rest),
        }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }
}

#[cfg(test)]
mod tests;
