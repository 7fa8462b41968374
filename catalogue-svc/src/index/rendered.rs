//! JSON as readers get it, rendered once when a listing changes.

use std::ops::Range;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// The JSON of a single read. It begins with the fields of the list row, so the row is a prefix of it.
#[derive(Debug, Clone)]
pub struct Rendered {
    json: Box<[u8]>,
    /// Up to here are the fields of the list row; with a brace, they are the row.
    fields_end: usize,
}

impl Rendered {
    pub(super) fn new(row: &impl Serialize, whole: &impl Serialize) -> anyhow::Result<Self> {
        let row = serde_json::to_vec(row)?;
        // Copied, for allocators leave a vector that is shrunk where it is, with the room it had.
        let json: Box<[u8]> = serde_json::to_vec(whole)?.as_slice().into();
        let fields_end = row.len() - 1;
        anyhow::ensure!(
            json.starts_with(&row[..fields_end]),
            "the JSON of a listing does not begin with its row"
        );
        Ok(Self { json, fields_end })
    }

    /// The single read.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Appends the list row.
    pub fn push_row(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(&self.json[..self.fields_end]);
        json.push(b'}');
    }

    /// How many bytes [`Rendered::push_row`] appends.
    pub fn row_len(&self) -> usize {
        self.fields_end + 1
    }

    /// The single read, or the fields of it that `T` has.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> anyhow::Result<T> {
        serde_json::from_slice(&self.json).context("a rendered listing does not parse")
    }

    /// Where the row has these fields, one after the other. No text in it can look like them, for its quotes are escaped.
    pub(super) fn find(&self, fields: &[u8]) -> Option<Range<usize>> {
        let row = &self.json[..self.fields_end];
        let start = row.windows(fields.len()).position(|part| part == fields)?;
        Some(start..start + fields.len())
    }

    /// The same with other fields in that place of the row.
    pub(super) fn splice(&self, at: Range<usize>, fields: &[u8]) -> Self {
        let (before, after) = (&self.json[..at.start], &self.json[at.end..]);
        Self {
            json: [before, fields, after].concat().into(),
            fields_end: self.fields_end - at.len() + fields.len(),
        }
    }
}
