//! Makes the JSON of answers from the bytes that were rendered when a listing changed.

use std::sync::Arc;

use bytes::Bytes;
use contracts::common::v1::PageInfo;
use kit::api::cursor::Binding;
use kit::{Fault, Mode};
use prost_types::Timestamp;
use serde::Serialize;

use crate::index::{Document, ResultPage};

/// The rows of a list as a JSON array.
pub(super) fn rows<L: Document>(rows: &[Arc<L>]) -> Bytes {
    let mut json = Vec::new();
    push_rows(&mut json, rows);
    json.into()
}

/// The JSON of an object whose last field is an empty list, with rows in that list.
pub(super) fn with_rows<L: Document>(object: &[u8], rows: &[Arc<L>]) -> Result<Vec<u8>, Fault> {
    let before = object.strip_suffix(b"[]}");
    let before =
        before.ok_or_else(|| broken(&anyhow::anyhow!("the last field is not an empty list")))?;
    let mut json = before.to_vec();
    push_rows(&mut json, rows);
    json.push(b'}');
    Ok(json)
}

/// The JSON of a value that is made for this answer.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| Fault::internal(&error))
}

/// The total of a list, and the cursor of its next page.
pub(super) fn page_info<L: Document<Key: Serialize>>(
    page: &ResultPage<L>,
    binding: Binding,
) -> Result<PageInfo, Fault> {
    let last = page.rows.last().filter(|_| page.more);
    page_info_after(page.total, last.map(|row| row.key()), binding)
}

/// The total of a list, and the cursor of the page after the key `last`, if that is given.
pub(super) fn page_info_after(
    total: u64,
    last: Option<&impl Serialize>,
    binding: Binding,
) -> Result<PageInfo, Fault> {
    let cursor = last.map(|last| binding.encode(last)).transpose();
    Ok(PageInfo { total, next_cursor: cursor.map_err(|error| Fault::internal(&error))? })
}

/// A time in microseconds since 1970.
pub(super) fn timestamp(at: i64) -> Timestamp {
    Timestamp {
        seconds: at.div_euclid(1_000_000),
        nanos: i32::try_from(at.rem_euclid(1_000_000)).unwrap_or_default() * 1_000,
    }
}

/// Appends rows as a JSON array.
fn push_rows<L: Document>(json: &mut Vec<u8>, rows: &[Arc<L>]) {
    let length: usize = rows.iter().map(|row| row.json().row_len() + 1).sum();
    json.reserve(length + 2);
    json.push(b'[');
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        row.json().push_row(json);
    }
    json.push(b']');
}

/// The error for a slug or handle that no listing of a kind has.
pub(super) fn not_found(mode: Mode, kind: &str, address: &str) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => format!(
            "No published {kind} has this {address}. `GET /search?q=…` finds one by its name, even with a typo. Sample {kind}s are for test keys."
        ),
        Mode::Test => format!(
            "No sample {kind} has this {address}. A test key sees sample {kind}s only, a live key the real ones."
        ),
    })
}

/// The error for a rendered listing that cannot be read or parsed, which no request can cause.
pub(super) fn broken(error: &anyhow::Error) -> Fault {
    Fault::internal(error.as_ref())
}
