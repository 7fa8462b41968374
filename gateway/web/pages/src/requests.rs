//! The log of an account's calls.

use askama::Template;

use crate::field::Fields;
use crate::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "request/list.html")]
pub struct CallLogPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub keys: Vec<KeyChoice>,
    pub only_errors: bool,
    pub is_filtered: bool,
    pub rows: Vec<RequestRow>,
    /// The address of older calls.
    pub next: Option<String>,
    /// The most calls that the log holds. Numbers are grouped.
    pub most: String,
    /// Calls that are not in the log.
    pub left_out: Option<u64>,
    pub may_make_keys: bool,
}

/// A key to filter by.
#[derive(Debug)]
pub struct KeyChoice {
    pub id: String,
    pub name: String,
    pub mode: String,
    pub is_chosen: bool,
}

#[derive(Debug)]
pub struct RequestRow {
    pub at: String,
    pub method: String,
    pub target: String,
    /// The pattern of the path; empty for a path that does not exist.
    pub route: String,
    pub status: u32,
    pub is_success: bool,
    /// The code of the error; empty if there was none.
    pub code: String,
    pub duration: String,
    pub request_id: String,
    pub credential: Credential,
    pub mode: String,
    /// Further calls of the same second that the log leaves out.
    pub left_out: Option<String>,
}

/// The key of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Credential {
    Key {
        id: String,
        name: String,
    },
    /// A key that is no longer there.
    Gone,
}
