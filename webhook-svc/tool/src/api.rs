//! The client of `GET /webhooks/messages` (§10.17).

use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use http::{StatusCode, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::client::{Client, Response};

/// What a query may not contain unencoded. The colons of a timestamp may stay.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');
/// Messages of one call.
const LIMIT: u32 = 50;
/// The longest wait that the API can ask for. When a month is used up, it asks for days, in which the plan may become larger.
const MAX_RETRY_AFTER: u64 = 300;

/// Pulls the messages of the key's account.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    client: Client,
    /// The base address, which ends with the version.
    base: String,
    authorization: HeaderValue,
}

/// Where a call begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartPoint {
    /// After this cursor.
    After(String),
    /// With messages since a moment, as the API takes it: `now`, or a timestamp.
    Since(String),
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) event: String,
    /// The exact bytes to sign.
    pub(crate) body: String,
}

/// The messages of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) messages: Vec<Message>,
    /// Where the next call begins.
    pub(crate) next: String,
}

/// Why there are no messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// Another call would be refused too.
    #[error("{0}")]
    Refused(String),
    /// Another call may succeed, after this time if the API says so.
    #[error("{0}")]
    Failed(String, Option<Duration>),
}

/// An answer of the API.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Page { data: Vec<Message>, meta: Meta },
    Error { error: ErrorObject },
}

#[derive(Deserialize)]
struct Meta {
    next_cursor: String,
}

#[derive(Deserialize)]
struct ErrorObject {
    code: String,
    message: String,
}

impl Api {
    /// # Errors
    /// The address or the key cannot be sent.
    pub(crate) fn new(client: Client, base: &str, key: &str) -> Result<Self, String> {
        let base = base.trim_end_matches('/').to_owned();
        let url: Option<Uri> = base.parse().ok();
        let is_http = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https"));
        if !url.is_some_and(|url| is_http(&url) && url.query().is_none()) {
            return Err("give --api the base address, such as https://api.example/v1".to_owned());
        }
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", key.trim()))
            .map_err(|_invalid| "SERVICE_API_KEY is not a key".to_owned())?;
        authorization.set_sensitive(true);
        Ok(Self { client, base, authorization })
    }

    /// # Errors
    /// The API is not reached, or refuses the call.
    pub(crate) async fn messages(&self, begin: &StartPoint) -> Result<Page, CallError> {
        let (name, value) = match begin {
            StartPoint::After(cursor) => ("after", cursor),
            StartPoint::Since(since) => ("since", since),
        };
        let value = utf8_percent_encode(value, QUERY);
        let url = format!("{}/webhooks/messages?limit={LIMIT}&{name}={value}", self.base)
            .parse()
            .map_err(|_invalid| {
            CallError::Refused(format!("`{name}` is too long for an address"))
        })?;
        let headers = HeaderMap::from_iter([(AUTHORIZATION, self.authorization.clone())]);
        let answer = self.client.get(&url, headers).await;
        let response = answer
            .map_err(|problem| CallError::Failed(format!("{}: {problem}", self.base), None))?;
        page(&response)
    }
}

fn page(response: &Response) -> Result<Page, CallError> {
    let status = response.status;
    let answer = serde_json::from_slice(&response.body);
    let reason = match answer {
        Ok(Answer::Page { data, meta }) if status == StatusCode::OK => {
            return Ok(Page { messages: data, next: meta.next_cursor });
        }
        Ok(Answer::Error { error }) => {
            format!("{} {}: {}", status.as_u16(), error.code, error.message)
        }
        Ok(Answer::Page { .. }) | Err(_) => {
            format!("{}: this is no answer of the API: check --api", status.as_u16())
        }
    };
    let may_pass = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    if !may_pass {
        return Err(CallError::Refused(reason));
    }
    let header = response.headers.get(RETRY_AFTER);
    let seconds: Option<u64> = header.and_then(|header| header.to_str().ok()?.parse().ok());
    let wait = seconds.map(|seconds| Duration::from_secs(seconds.min(MAX_RETRY_AFTER)));
    Err(CallError::Failed(reason, wait))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn answer(status: u16, body: &str) -> Result<Page, CallError> {
        answer_after("7", status, body)
    }

    fn answer_after(wait: &str, status: u16, body: &str) -> Result<Page, CallError> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(wait).unwrap());
        page(&Response {
            status: StatusCode::from_u16(status).unwrap(),
            headers,
            body: Bytes::from(body.to_owned()),
        })
    }

    #[test]
    fn a_page_is_parsed() {
        let body = r#"{"success":true,"data":[{"cursor":"a","id":"1","event":"ping","created_at":"x","data":{},"body":"{}"}],
            "meta":{"request_id":"req_1","next_cursor":"b","total":1}}"#;
        let page = answer(200, body).unwrap();
        assert_eq!((page.messages.len(), page.next.as_str()), (1, "b"));
    }

    #[test]
    fn only_transient_errors_are_retried() {
        let error = r#"{"success":false,"error":{"code":"gone","message":"Start again.","docs_url":""},"meta":{}}"#;
        for (status, body, is_retried) in [
            (401, error, false),
            (410, error, false),
            (400, error, false),
            (302, "", false),
            (200, "<html>", false),
            (429, error, true),
            (503, error, true),
            (502, "bad gateway", true),
        ] {
            let failed = answer(status, body).unwrap_err();
            let again = matches!(failed, CallError::Failed(..));
            assert_eq!(again, is_retried, "{status}: {failed}");
        }
        let gone = answer(410, error).unwrap_err().to_string();
        assert_eq!(gone, "410 gone: Start again.");
    }

    #[test]
    fn the_api_asks_for_five_minutes_at_most() {
        for (header, seconds) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("300", Some(300)),
            ("301", Some(300)),
            ("2000000", Some(300)),
            ("soon", None),
        ] {
            let failed = answer_after(header, 429, "").unwrap_err();
            let expected = seconds.map(Duration::from_secs);
            assert!(matches!(failed, CallError::Failed(_, wait) if wait == expected), "{header}");
        }
    }

    #[test]
    fn invalid_api_addresses_and_keys_are_refused() {
        let client = || Client::new(None).unwrap();
        for bad in ["", "localhost:3000", "ftp://a/v1", "https://a/v1?key=b"] {
            assert!(Api::new(client(), bad, "svc_live_a").is_err(), "{bad}");
        }
        assert!(Api::new(client(), "http://a/v1/", "a\nb").is_err());
        let api = Api::new(client(), "http://a/v1/", "svc_live_secret").unwrap();
        assert!(!format!("{api:?}").contains("secret"));
        assert_eq!(
            utf8_percent_encode("2026-03-01T08:00:00+01:00", QUERY).to_string(),
            "2026-03-01T08:00:00%2B01:00"
        );
    }
}
