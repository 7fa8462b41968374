//! The context of a request: its id, what its head says, and what the checks find out.

use std::sync::Arc;

use axum::extract::Request;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, Uri};
use kit::Code;
use kit::overload::Permit;

use crate::domain::key::{Caller, Mode};
use crate::domain::quota::RateLimitStatus;
use crate::domain::secret::{KeyFormat, ParsedKey};
use crate::etag::IfNoneMatch;

/// What the checks, the envelope and the log know of a request.
#[derive(Debug)]
pub struct Context {
    /// `req_…`: in `meta`, in `x-request-id`, in logs and in traces.
    pub id: String,
    pub method: Method,
    pub uri: Uri,
    pub if_none_match: IfNoneMatch,
    /// The key in the Authorization header, if its value is shaped like a key.
    pub presented_key: Option<ParsedKey>,
    /// The pattern of the route.
    pub route: &'static str,
    /// The admission permit, unless the request has returned it.
    pub permit: Option<Permit>,
    pub identity: Identity,
    /// Once the call was counted, or rejected for a limit.
    pub rate_limit: Option<RateLimitStatus>,
    /// The code of the error that the request was answered with.
    pub error: Option<Code>,
    /// Whether the limit of refused calls has rejected it. Then no account's log shows it.
    pub exceeds_refused_calls: bool,
}

/// Whose key the request presents.
#[derive(Debug, Clone)]
pub enum Identity {
    /// The key is not looked up yet, or nobody has it.
    None,
    /// The key does not work any more. The log of its account shows the call.
    NotWorking(Arc<Caller>),
    Working(Arc<Caller>),
}

impl Context {
    pub fn new(request: &Request, format: &KeyFormat) -> Self {
        let headers = request.headers();
        Self {
            id: kit::ids::request_id(),
            method: request.method().clone(),
            uri: request.uri().clone(),
            if_none_match: IfNoneMatch::from_headers(headers),
            presented_key: bearer(headers).and_then(|text| format.parse(text)),
            route: "none",
            permit: None,
            identity: Identity::None,
            rate_limit: None,
            error: None,
            exceeds_refused_calls: false,
        }
    }

    /// The mode of the caller or, before that is known, the one that the presented key claims (`meta.mode`). The key may not exist.
    pub fn mode(&self) -> Option<Mode> {
        let caller = self.caller().map(|caller| caller.key.mode);
        caller.or_else(|| self.presented_key.map(|presented_key| presented_key.mode))
    }

    /// The caller, once the key is found and works.
    pub fn caller(&self) -> Option<&Caller> {
        match &self.identity {
            Identity::Working(caller) => Some(caller),
            Identity::NotWorking(_) | Identity::None => None,
        }
    }

    /// GET or HEAD: the response has an `ETag`.
    pub fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }
}

/// The credential of the Authorization header. A request with two such headers has none (§5.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| rest.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(values: &[&str]) -> Request {
        let mut request = Request::new(Body::empty());
        for value in values {
            request.headers_mut().append(AUTHORIZATION, value.parse().unwrap());
        }
        request
    }

    #[test]
    fn the_scheme_is_case_insensitive_and_the_header_is_sent_once() {
        for value in ["Bearer k", "bearer k", "BEARER k", "Bearer   k "] {
            assert_eq!(bearer(request(&[value]).headers()), Some("k"), "{value}");
        }
        for values in [&[][..], &["k"], &["Basic k"], &["Bearer"], &["Bearer k", "Bearer k"]] {
            assert_eq!(bearer(request(values).headers()), None, "{values:?}");
        }
    }

    #[test]
    fn the_mode_is_read_from_a_well_formed_key() {
        let format = KeyFormat::new("svc_");
        let shaped = format!("Bearer svc_test_{}", "x".repeat(20));
        let context = Context::new(&request(&[&shaped]), &format);
        assert_eq!(context.mode(), Some(Mode::Test));
        let context = Context::new(&request(&["Bearer svc_test_x"]), &format);
        assert_eq!(context.mode(), None);
    }
}
