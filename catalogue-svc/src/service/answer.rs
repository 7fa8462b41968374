//! From rows in memory to an answer: as JSON, from their bytes as they were rendered, or as messages.

use std::sync::Arc;

use bytes::Bytes;
use contracts::common::v1::{Form, PageInfo};
use kit::Fault;
use kit::cursor::Binding;
use prost_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::index::{Document, ResultPage};

/// The rows of a list in the form that is wanted: JSON, or what `typed` makes of the public shape `P` of each.
pub(super) fn rows<L, P, T>(
    rows: &[Arc<L>],
    form: Form,
    typed: impl Fn(P) -> T,
) -> Result<(Bytes, Vec<T>), Fault>
where
    L: Document,
    P: for<'a> Deserialize<'a>,
{
    match form {
        Form::Json => {
            let mut json = Vec::new();
            push_rows(&mut json, rows);
            Ok((json.into(), Vec::new()))
        }
        Form::Unspecified => {
            let typed = rows.iter().map(|row| row.text().parse_row().map(&typed));
            let typed: anyhow::Result<Vec<T>> = typed.collect();
            Ok((Bytes::new(), typed.map_err(|error| broken(&error))?))
        }
    }
}

/// The same for rows that are not kept as JSON.
pub(super) fn made<P: Serialize, T>(
    rows: Vec<P>,
    form: Form,
    typed: impl Fn(P) -> T,
) -> Result<(Bytes, Vec<T>), Fault> {
    match form {
        Form::Json => Ok((json(&rows)?.into(), Vec::new())),
        Form::Unspecified => Ok((Bytes::new(), rows.into_iter().map(typed).collect())),
    }
}

/// A single thing in the form that is wanted.
pub(super) fn single<P, T>(
    json: Vec<u8>,
    form: Form,
    typed: impl FnOnce(P) -> T,
) -> Result<(Bytes, Option<T>), Fault>
where
    P: for<'a> Deserialize<'a>,
{
    match form {
        Form::Json => Ok((json.into(), None)),
        Form::Unspecified => {
            let public = serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
            Ok((Bytes::new(), Some(typed(public))))
        }
    }
}

/// The JSON of an object whose last field is an empty list, with rows in that list.
pub(super) fn with_rows<L: Document>(object: &[u8], rows: &[Arc<L>]) -> Result<Vec<u8>, Fault> {
    let before = object.strip_suffix(b"[]}");
    let before =
        before.ok_or_else(|| broken(&anyhow::anyhow!("the last field is no empty list")))?;
    let mut json = before.to_vec();
    push_rows(&mut json, rows);
    json.push(b'}');
    Ok(json)
}

/// The JSON of something that is made anew for each answer.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| Fault::internal(&error))
}

/// What a page says about its list.
pub(super) fn page_info<L: Document<Key: Serialize>>(
    page: &ResultPage<L>,
    binding: Binding,
) -> Result<PageInfo, Fault> {
    let last = page.rows.last().filter(|_| page.more);
    info(page.total, last.map(|row| row.key()), binding)
}

/// The same, when the next page begins after `mark`.
pub(super) fn info(
    total: u64,
    mark: Option<&impl Serialize>,
    binding: Binding,
) -> Result<PageInfo, Fault> {
    let cursor = mark.map(|mark| binding.encode(mark)).transpose();
    Ok(PageInfo {
        total,
        next_cursor: cursor.map_err(|error| Fault::internal(&error))?,
        ..PageInfo::default()
    })
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
    let length: usize = rows.iter().map(|row| row.text().row_len() + 1).sum();
    json.reserve(length + 2);
    json.push(b'[');
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        row.text().push_row(json);
    }
    json.push(b']');
}

/// What is in memory was rendered once, so it can be rendered again, unless something broke.
pub(super) fn broken(error: &anyhow::Error) -> Fault {
    Fault::internal(error.as_ref())
}
