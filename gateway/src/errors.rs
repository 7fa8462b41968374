//! The error table: what each code of §7 is in HTTP. The only place that knows.

use http::header::{ALLOW, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{StatusCode, header};
use kit::{Code, Fault};
use time::OffsetDateTime;

/// The status of a code.
pub const fn status(code: Code) -> StatusCode {
    match code {
        Code::Invalid | Code::BadJson | Code::BadRequest => StatusCode::BAD_REQUEST,
        Code::MissingKey | Code::InvalidKey => StatusCode::UNAUTHORIZED,
        Code::SecretKeyRequired
        | Code::WriteNotAllowed
        | Code::ServerOnly
        | Code::NotYours
        | Code::PlanRequired => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::TooManyPending | Code::IdempotencyInFlight => StatusCode::CONFLICT,
        Code::Gone => StatusCode::GONE,
        Code::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UriTooLong => StatusCode::URI_TOO_LONG,
        Code::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
        Code::Limit | Code::QuotaExceeded | Code::RateLimited | Code::TooSoon => {
            StatusCode::TOO_MANY_REQUESTS
        }
        Code::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::ModuleOff | Code::ApiUnavailable | Code::Closed | Code::Unavailable => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Code::OutcomeUnknown => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// Why a call is refused: the fault, and what only HTTP knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The fault.
    pub fault: Fault,
    /// With `method_not_allowed`: the methods that the path takes.
    pub allow: Option<String>,
    /// With `quota_exceeded`: when the month starts anew.
    pub resets_at: Option<OffsetDateTime>,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            allow: None,
            resets_at: None,
        }
    }
}

impl Refusal {
    /// Nothing stands at this path.
    pub fn no_such_path() -> Self {
        Fault::not_found("there is nothing at this path: all begin with /v1 and none ends in a slash; the documentation lists them").into()
    }

    /// The path takes other methods.
    pub fn method_not_allowed(allow: String) -> Self {
        let message = format!("this path takes {allow}");
        Self {
            allow: Some(allow),
            ..Fault::new(Code::MethodNotAllowed, message).into()
        }
    }

    /// The headers that belong to the fault.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name: header::HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        let code = self.fault.code;
        if status(code) == StatusCode::UNAUTHORIZED {
            set(WWW_AUTHENTICATE, Some("Bearer".to_owned()));
        }
        // A service that is away is worth another try soon, whoever noticed and whatever they said.
        let wait = self
            .fault
            .retry_after
            .or_else(|| (code == Code::Unavailable).then_some(1));
        set(RETRY_AFTER, wait.map(|seconds| seconds.to_string()));
        set(ALLOW, self.allow.clone());
        headers
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The rows of §7: `| 400 | `invalid` | … |`.
    fn contract() -> BTreeSet<(u16, String)> {
        let text = include_str!("../../proto/CONTRACT.md");
        let section = text
            .split("\n## ")
            .find(|s| s.starts_with("7. Errors"))
            .unwrap();
        let section = section.split("\n### ").next().unwrap();
        section
            .lines()
            .filter_map(|line| {
                let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
                let status = cells.next()?.parse().ok()?;
                let code = cells.next()?.trim_matches('`').to_owned();
                Some((status, code))
            })
            .collect()
    }

    #[test]
    fn the_table_is_the_contract_s_row_by_row() {
        let ours: BTreeSet<(u16, String)> = Code::ALL
            .iter()
            .map(|code| (status(*code).as_u16(), code.as_str().to_owned()))
            .collect();
        assert_eq!(ours, contract());
    }

    #[test]
    fn every_401_says_how_to_sign_in() {
        for code in Code::ALL {
            let refusal = Refusal::from(Fault::new(*code, ""));
            let expected = matches!(code, Code::MissingKey | Code::InvalidKey);
            assert_eq!(refusal.headers().contains_key(WWW_AUTHENTICATE), expected);
        }
    }

    #[test]
    fn waits_and_methods_become_headers() {
        let wait = Fault {
            retry_after: Some(31),
            ..Fault::new(Code::RateLimited, "")
        };
        assert_eq!(Refusal::from(wait).headers()[RETRY_AFTER], "31");
        let away = Refusal::from(Fault::new(Code::Unavailable, ""));
        assert_eq!(away.headers()[RETRY_AFTER], "1");
        let other = Refusal::method_not_allowed("GET, HEAD".to_owned());
        assert_eq!(other.headers()[ALLOW], "GET, HEAD");
    }
}
