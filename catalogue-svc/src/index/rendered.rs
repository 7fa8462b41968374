//! The JSON of listings, rendered when a listing changes.

use std::ops::Range;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::texts::Text;

/// The JSON of a listing: its list row, and the rest of its single read, which begins with the fields of the row.
#[derive(Debug, Clone)]
pub struct Rendered {
    row: Box<[u8]>,
    rest: Text,
}

impl Rendered {
    pub(super) fn new(row: &impl Serialize, whole: &impl Serialize) -> anyhow::Result<Self> {
        let row = serde_json::to_vec(row)?;
        let whole = serde_json::to_vec(whole)?;
        // All of the row but the brace.
        let rest = whole.strip_prefix(&row[..row.len() - 1]);
        let rest = rest.context("the JSON of a listing does not begin with its row")?;
        Ok(Self {
            rest: Text::Memory(rest.into()),
            // A copy, since allocators shrink a vector in place and leave the rest of its memory unused.
            row: row.as_slice().into(),
        })
    }

    /// Moves the part that only a single read needs out of memory.
    pub(super) fn store_rest(&mut self) {
        self.rest = self.rest.store();
    }

    /// The single read.
    ///
    /// # Errors
    /// The file of long texts cannot be read.
    pub async fn json(&self) -> anyhow::Result<Vec<u8>> {
        let row = self.row[..self.row.len() - 1].to_vec();
        let json = self.rest.push_to(row).await;
        json.context("the file of long texts cannot be read")
    }

    /// Appends the list row.
    pub fn push_row(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(&self.row);
    }

    /// How many bytes [`Rendered::push_row`] appends.
    pub fn row_len(&self) -> usize {
        self.row.len()
    }

    /// The list row, or the fields of it that `T` has.
    ///
    /// # Errors
    /// `T` has other fields.
    pub fn parse_row<'a, T: Deserialize<'a>>(&'a self) -> anyhow::Result<T> {
        serde_json::from_slice(&self.row).context("a rendered listing does not parse")
    }

    /// The offset in the row of these consecutive fields. No text in the row can be mistaken for them, since quotes in texts are escaped.
    pub(super) fn find(&self, fields: &[u8]) -> Option<usize> {
        let mut parts = self.row.windows(fields.len());
        parts.position(|part| part == fields)
    }

    /// A copy whose row has `fields` in the place of the bytes `at`.
    pub(super) fn splice(&self, at: Range<usize>, fields: &[u8]) -> Self {
        let (before, after) = (&self.row[..at.start], &self.row[at.end..]);
        Self {
            row: [before, fields, after].concat().into(),
            rest: self.rest.clone(),
        }
    }
}
