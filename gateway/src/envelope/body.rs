//! The JSON of response bodies.

use std::collections::BTreeMap;

use contracts::common::v1::PageInfo;
use contracts::public::Timestamp;
use kit::Code;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::context::Context;
use crate::errors::ApiError;

/// Everything before the value of `data`.
const PREFIX: &[u8] = br#"{"success":true,"data":"#;

/// Everything after the value of `data`.
pub(super) fn suffix(context: &Context, page: Option<&PageInfo>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Suffix<'a> {
        meta: Meta<'a>,
    }
    let meta = Meta { context, page };
    let mut suffix = to_json(&Suffix { meta });
    // Turns the opening brace into a comma: the suffix continues the object that `PREFIX` begins.
    if let Some(first) = suffix.first_mut() {
        *first = b',';
    }
    suffix
}

/// The body of a response with `data`.
pub(super) fn success(data: &[u8], suffix: &[u8]) -> Vec<u8> {
    [PREFIX, data, suffix].concat()
}

/// The body of an error response.
pub(super) fn error(error: &ApiError, context: &Context, docs_url: &str) -> Vec<u8> {
    let ApiError { fault, resets_at, .. } = error;
    to_json(&ErrorBody {
        success: false,
        error: ErrorObject {
            code: fault.code.as_str(),
            message: &fault.message,
            docs_url: &format!("{docs_url}#{}", fault.code.as_str()),
            resets_at: resets_at.map(Timestamp),
        },
        fields: (fault.code == Code::Invalid).then_some(&fault.fields),
        meta: Meta { context, page: None },
    })
}

/// Fits nearly every suffix and error, in bytes.
const CAPACITY: usize = 512;

/// Serializing strings, numbers and maps of strings cannot fail.
fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut written = Vec::with_capacity(CAPACITY);
    let done = serde_json::to_writer(&mut written, value);
    done.map_or_else(|_| Vec::new(), |()| written)
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    success: bool,
    error: ErrorObject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a BTreeMap<String, String>>,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: &'a str,
    message: &'a str,
    docs_url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<Timestamp>,
}

struct Meta<'a> {
    context: &'a Context,
    page: Option<&'a PageInfo>,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("request_id", &self.context.id)?;
        if let Some(mode) = self.context.mode() {
            map.serialize_entry("mode", mode.as_str())?;
        }
        if let Some(page) = self.page {
            map.serialize_entry("next_cursor", &page.next_cursor)?;
            map.serialize_entry("total", &page.total)?;
        }
        map.end()
    }
}
