//! The context of a request: its id, the key that it presents, and what is known of it later.

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kit::Code;

use crate::domain::key::{Caller, Mode};
use crate::domain::quota::RateLimitStatus;
use crate::domain::secret::{KeyFormat, ParsedKey};

/// What the envelope and the log say of a request, besides its answer.
#[derive(Debug)]
pub struct Context {
    /// `req_…`: in `meta`, in `x-request-id`, in logs and in traces.
    pub id: String,
    /// The key in the Authorization header, if its value is shaped like a key.
    pub presented_key: Option<ParsedKey>,
    /// The pattern of the route.
    pub route: &'static str,
    /// The owner of the presented key, once it is found, also if the key does not work any more.
    pub owner: Option<Arc<Caller>>,
    /// Whether the key works.
    pub is_authenticated: bool,
    /// Once the call was counted, or rejected for a limit.
    pub rate_limit: Option<RateLimitStatus>,
    /// The code of the error that the request was answered with.
    pub error: Option<Code>,
}

impl Context {
    pub fn new(headers: &HeaderMap, format: &KeyFormat) -> Self {
        Self {
            id: kit::ids::request_id(),
            presented_key: bearer(headers).and_then(|text| format.parse(text)),
            route: "none",
            owner: None,
            is_authenticated: false,
            rate_limit: None,
            error: None,
        }
    }

    /// The mode of the caller or, before that is known, the one that the presented key claims (`meta.mode`). The key may not exist.
    pub fn mode(&self) -> Option<Mode> {
        let caller = self.caller().map(|caller| caller.key.mode);
        caller.or_else(|| self.presented_key.map(|presented_key| presented_key.mode))
    }

    /// The caller, once the key is found and works.
    pub fn caller(&self) -> Option<&Caller> {
        self.owner.as_deref().filter(|_| self.is_authenticated)
    }
}

/// The credential of the Authorization header. A request with two such headers has none (§5.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| rest.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_scheme_is_case_insensitive_and_the_header_is_sent_once() {
        for value in ["Bearer k", "bearer k", "BEARER k", "Bearer   k "] {
            assert_eq!(bearer(&headers(&[value])), Some("k"), "{value}");
        }
        for values in [
            &[][..],
            &["k"],
            &["Basic k"],
            &["Bearer"],
            &["Bearer k", "Bearer k"],
        ] {
            assert_eq!(bearer(&headers(values)), None, "{values:?}");
        }
    }

    #[test]
    fn the_mode_is_read_from_a_well_formed_key() {
        let format = KeyFormat::new("svc_");
        let shaped = format!("Bearer svc_test_{}", "x".repeat(20));
        let context = Context::new(&headers(&[&shaped]), &format);
        assert_eq!(context.mode(), Some(Mode::Test));
        let context = Context::new(&headers(&["Bearer svc_test_x"]), &format);
        assert_eq!(context.mode(), None);
    }
}
