//! JSON as readers get it, rendered once when a listing changes.
//!
//! List rows stay as they are, since a list is put together from them. What only a single read has, the long texts, is compressed: it is
//! most of the memory that a listing takes, and read one at a time.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::LazyLock;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// The level with the smallest result of those that take microseconds.
const LEVEL: i32 = 3;

/// What the JSON of single reads has in common: a dictionary for the compressor. Compressed texts live as long as the process, so another
/// version may have another one.
const COMMON: &[u8] = br#","bio":"","links":{"website":"https://","discord":"","twitter":""},"games":[]},"description":"","screenshots":[{"url":"https://","width":1920,"height":1080,"alt":""}],"links":{"website":"https://","steam":"https://store.steampowered.com/app/"},"credits":[{"handle":null,"name":"","role":""}],"trailer_url":null,"updated_at":"2026-01-01T00:00:00Z"}"#;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(COMMON, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(COMMON));

thread_local! {
    // Their tables are larger than the texts, so they are made once.
    static COMPRESSOR: RefCell<io::Result<Compressor<'static>>> =
        RefCell::new(Compressor::with_prepared_dictionary(&ENCODER));
    static DECOMPRESSOR: RefCell<io::Result<Decompressor<'static>>> =
        RefCell::new(Decompressor::with_prepared_dictionary(&DECODER));
}

/// The JSON of a listing: its list row, and the rest of its single read, which begins with the fields of the row.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The row, then the rest.
    bytes: Box<[u8]>,
    row_len: u32,
    /// How long the rest is in JSON; where it has this length here too, it is not compressed.
    rest_len: u32,
}

impl Rendered {
    pub(super) fn new(row: &impl Serialize, whole: &impl Serialize) -> anyhow::Result<Self> {
        let mut bytes = serde_json::to_vec(row)?;
        let row_len = bytes.len();
        let json = serde_json::to_vec(whole)?;
        // All of the row but the brace.
        let rest = json.strip_prefix(&bytes[..row_len - 1]);
        let rest = rest.context("the JSON of a listing does not begin with its row")?;
        let compressed = compress(rest)?;
        let is_shorter = compressed.len() < rest.len();
        bytes.extend_from_slice(if is_shorter { &compressed } else { rest });
        Ok(Self {
            // Copied, for allocators leave a vector that is shrunk where it is, with the room it had.
            bytes: bytes.as_slice().into(),
            row_len: length(row_len),
            rest_len: length(rest.len()),
        })
    }

    /// The single read.
    ///
    /// # Errors
    /// It does not decompress.
    pub fn json(&self) -> anyhow::Result<Vec<u8>> {
        let rest_len = self.rest_len as usize;
        let mut json = Vec::with_capacity(self.row_len() + rest_len);
        json.extend_from_slice(&self.row()[..self.row_len() - 1]);
        let rest = &self.bytes[self.row_len()..];
        if rest.len() == rest_len {
            json.extend_from_slice(rest);
        } else {
            json.extend(decompress(rest, rest_len)?);
        }
        Ok(json)
    }

    fn row(&self) -> &[u8] {
        &self.bytes[..self.row_len()]
    }

    /// Appends the list row.
    pub fn push_row(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(self.row());
    }

    /// How many bytes [`Rendered::push_row`] appends.
    pub fn row_len(&self) -> usize {
        self.row_len as usize
    }

    /// The list row, or the fields of it that `T` has.
    ///
    /// # Errors
    /// `T` has other fields.
    pub fn parse_row<'a, T: Deserialize<'a>>(&'a self) -> anyhow::Result<T> {
        serde_json::from_slice(self.row()).context("a rendered listing does not parse")
    }

    /// Where the row has these fields, one after the other. No text in it can look like them, for its quotes are escaped.
    pub(super) fn find(&self, fields: &[u8]) -> Option<usize> {
        let mut parts = self.row().windows(fields.len());
        parts.position(|part| part == fields)
    }

    /// The same with other fields in that place of the row.
    pub(super) fn splice(&self, at: Range<usize>, fields: &[u8]) -> Self {
        let (before, after) = (&self.bytes[..at.start], &self.bytes[at.end..]);
        Self {
            bytes: [before, fields, after].concat().into(),
            row_len: length(self.row_len() - at.len() + fields.len()),
            rest_len: self.rest_len,
        }
    }
}

/// No message of the feed has as many bytes as do not fit.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Ok(compressor) => compressor.compress(text),
        Err(error) => Err(error.kind().into()),
    })
}

fn decompress(text: &[u8], length: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| match decompressor {
        Ok(decompressor) => decompressor.decompress(text, length),
        Err(error) => Err(error.kind().into()),
    })
}
