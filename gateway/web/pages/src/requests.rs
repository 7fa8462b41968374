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
    /// Whether path and query may be longer than the log holds.
    pub is_cut_off: bool,
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

/// What a call was made with.
#[derive(Debug, PartialEq, Eq)]
pub enum Credential {
    Key {
        id: String,
        name: String,
    },
    /// A key that is no longer there.
    Gone,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "/v1/games?q=\"'><script>alert(1)</script>";

    fn row() -> RequestRow {
        RequestRow {
            at: "2026-11-23 14:05:09 UTC".to_owned(),
            method: "GET".to_owned(),
            target: HOSTILE.to_owned(),
            is_cut_off: true,
            route: "/v1/games".to_owned(),
            status: 400,
            is_success: false,
            code: "invalid".to_owned(),
            duration: "1.2 ms".to_owned(),
            request_id: "req_01jd0000000000000000000000".to_owned(),
            credential: Credential::Key {
                id: "k".to_owned(),
                name: "<b>server".to_owned(),
            },
            mode: "test".to_owned(),
            left_out: Some("14".to_owned()),
        }
    }

    fn list(rows: Vec<RequestRow>, is_filtered: bool) -> String {
        let page = CallLogPage {
            frame: Frame::default(),
            errors: Fields::default(),
            account: "a".to_owned(),
            keys: vec![KeyChoice {
                id: "k".to_owned(),
                name: "<b>server".to_owned(),
                mode: "test".to_owned(),
                is_chosen: true,
            }],
            only_errors: true,
            is_filtered,
            rows,
            next: Some("/accounts/a/requests?cursor=x&errors=yes".to_owned()),
            most: "1,000".to_owned(),
            left_out: Some(1_204),
            may_make_keys: true,
        };
        page.render().unwrap()
    }

    #[test]
    fn what_a_caller_sends_is_text() {
        let html = list(vec![row()], true);
        assert!(
            !html.contains("<script>alert") && !html.contains("<b>"),
            "{html}"
        );
        for part in [
            "/docs/errors#invalid",
            "req_01jd",
            "1,204 further calls",
            "14 more",
            "cut off",
            "<bdi>&#60;b&#62;server</bdi>",
            "cursor=x&#38;errors=yes",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn an_empty_log_says_what_to_do() {
        assert!(list(Vec::new(), false).contains("/accounts/a/keys/new"));
        assert!(list(Vec::new(), true).contains("No call matches"));
    }

    #[test]
    fn a_page_of_fifty_calls_is_small() {
        let html = list((0..50).map(|_| row()).collect(), false);
        assert!(html.len() < 100_000, "{}", html.len());
    }
}
