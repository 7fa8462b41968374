//! What answers say, as JSON.

use std::collections::BTreeMap;

use contracts::common::v1::PageInfo;
use contracts::public::Timestamp;
use kit::Code;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::context::Context;
use crate::errors::Refusal;

/// What stands before `data`, in every answer that has it.
pub(super) const BEFORE: &[u8] = br#"{"success":true,"data":"#;

/// What stands behind `data`.
pub(super) fn after(context: &Context, page: Option<&PageInfo>) -> Vec<u8> {
    #[derive(Serialize)]
    struct After<'a> {
        meta: Meta<'a>,
    }
    let meta = Meta { context, page };
    let mut after = write(&After { meta });
    // It goes on with what `data` is in.
    if let Some(first) = after.first_mut() {
        *first = b',';
    }
    after
}

/// `data` between what stands around it.
pub(super) fn plain(data: &[u8], after: &[u8]) -> Vec<u8> {
    [BEFORE, data, after].concat()
}

/// The whole of a refusal.
pub(super) fn refusal(refusal: &Refusal, context: &Context, docs_url: &str) -> Vec<u8> {
    let Refusal {
        fault, resets_at, ..
    } = refusal;
    write(&Refused {
        success: false,
        error: Error {
            code: fault.code.as_str(),
            message: &fault.message,
            docs_url: &format!("{docs_url}#{}", fault.code.as_str()),
            resets_at: resets_at.map(Timestamp),
        },
        fields: (fault.code == Code::Invalid).then_some(&fault.fields),
        meta: Meta {
            context,
            page: None,
        },
    })
}

/// Room for what is written here, in nearly every case.
const LENGTH: usize = 512;

/// Texts, numbers and maps of texts: writing them cannot fail.
fn write(value: &impl Serialize) -> Vec<u8> {
    let mut written = Vec::with_capacity(LENGTH);
    let done = serde_json::to_writer(&mut written, value);
    done.map_or_else(|_| Vec::new(), |()| written)
}

#[derive(Serialize)]
struct Refused<'a> {
    success: bool,
    error: Error<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a BTreeMap<String, String>>,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
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
            if let Some(methodology) = page.methodology {
                map.serialize_entry("methodology", &methodology)?;
            }
        }
        map.end()
    }
}
