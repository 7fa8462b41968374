//! Errors of the API: the headers that go with a [`Code`], which has the status.

use http::header::{ACCEPT_ENCODING, ALLOW, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{StatusCode, header};
use kit::{Code, Fault};
use time::OffsetDateTime;

/// The message for an unknown path. A test in `router.rs` compares it with the routes.
pub const PATH_NOT_FOUND: &str = "There is nothing at this path. The paths are /v1/games, /v1/events, /v1/creators, /v1/genres, \
    /v1/countries, /v1/cities, /v1/search, /v1/rankings/{kind}/{board}, /v1/me, /v1/me/listings, /v1/webhooks/messages, \
    /v1/play/tips, /v1/economy/report, /v1/economy/rates, /v1/economy/currencies and /v1/economy/history. Games, events, \
    creators and countries also have a path each, such as /v1/games/{slug} or /v1/countries/{code}. No path ends in a slash. \
    /v1/openapi.json describes them all.";

/// An error of the API: the fault, and the fields that only HTTP needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    pub fault: Fault,
    /// With `method_not_allowed`: the methods that the path takes.
    pub allow: Option<String>,
    /// With `quota_exceeded`: when the next month begins.
    pub resets_at: Option<OffsetDateTime>,
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        Self { fault, allow: None, resets_at: None }
    }
}

impl ApiError {
    /// No route has this path.
    pub fn path_not_found() -> Self {
        Fault::not_found(PATH_NOT_FOUND).into()
    }

    /// The path has a route, but not for this method.
    pub fn method_not_allowed(allow: String) -> Self {
        let message = format!("This path does not support this method. Use one of: {allow}.");
        Self { allow: Some(allow), ..Fault::new(Code::MethodNotAllowed, message).into() }
    }

    /// The headers that the error's code needs.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name: header::HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        let code = self.fault.code;
        if code.status() == StatusCode::UNAUTHORIZED {
            set(WWW_AUTHENTICATE, Some("Bearer".to_owned()));
        }
        // `unavailable` always has a `Retry-After`, also when the fault names no wait.
        let wait = self.fault.retry_after.or_else(|| (code == Code::Unavailable).then_some(1));
        set(RETRY_AFTER, wait.map(|seconds| seconds.to_string()));
        set(ALLOW, self.allow.clone());
        let encoding = (code == Code::UnsupportedEncoding).then(|| "identity".to_owned());
        set(ACCEPT_ENCODING, encoding);
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_401_has_www_authenticate() {
        for code in Code::ALL {
            let error = ApiError::from(Fault::new(*code, ""));
            let expected = matches!(code, Code::MissingKey | Code::InvalidKey);
            assert_eq!(error.headers().contains_key(WWW_AUTHENTICATE), expected);
        }
    }

    #[test]
    fn waits_and_methods_become_headers() {
        let wait = Fault { retry_after: Some(31), ..Fault::new(Code::RateLimited, "") };
        assert_eq!(ApiError::from(wait).headers()[RETRY_AFTER], "31");
        let unavailable = ApiError::from(Fault::new(Code::Unavailable, ""));
        assert_eq!(unavailable.headers()[RETRY_AFTER], "1");
        let other = ApiError::method_not_allowed("GET, HEAD".to_owned());
        assert_eq!(other.headers()[ALLOW], "GET, HEAD");
    }
}
