//! What is known of a request from its first moment to its last: its id, the key it shows, and, once found, who calls.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::domain::key::{Caller, Mode};
use crate::domain::secret::{Format, Presented};

/// One request. It is an extension of the request, shared by all its layers, and outlives a panic in any of them.
#[derive(Debug)]
pub struct Context {
    /// `req_…`, in `meta`, in `x-request-id`, in logs and traces.
    pub id: String,
    /// What the Authorization header holds, if it is shaped like a key.
    pub presented: Option<Presented>,
    route: OnceLock<&'static str>,
    caller: OnceLock<Arc<Caller>>,
}

impl Context {
    /// A context for a request with these headers.
    pub fn new(headers: &HeaderMap, format: &Format) -> Self {
        Self {
            id: kit::ids::request_id(),
            presented: bearer(headers).and_then(|text| format.read(text)),
            route: OnceLock::new(),
            caller: OnceLock::new(),
        }
    }

    /// The context that the outermost layer has given `request`.
    pub fn of(request: &Request) -> Option<Arc<Self>> {
        request.extensions().get::<Arc<Self>>().map(Arc::clone)
    }

    /// The mode that the key claims (`meta.mode`).
    pub fn mode(&self) -> Option<Mode> {
        self.presented.map(|presented| presented.mode)
    }

    /// The path's pattern, once it is found.
    pub fn route(&self) -> &'static str {
        self.route.get().copied().unwrap_or("none")
    }

    /// Who calls, once that is found.
    pub fn caller(&self) -> Option<&Arc<Caller>> {
        self.caller.get()
    }

    /// Notes the path's pattern.
    pub fn found_route(&self, pattern: &'static str) {
        self.route.get_or_init(|| pattern);
    }

    /// Notes who calls.
    pub fn found_caller(&self, caller: &Arc<Caller>) {
        self.caller.get_or_init(|| Arc::clone(caller));
    }
}

/// The credential of the one Authorization header; two of them are none (§5.1).
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
    fn one_bearer_header_in_any_case() {
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
    fn the_mode_is_known_as_soon_as_the_shape_is_right() {
        let format = Format::new("svc_");
        let shaped = format!("Bearer svc_test_{}", "x".repeat(20));
        let context = Context::new(&headers(&[&shaped]), &format);
        assert_eq!(context.mode(), Some(Mode::Test));
        let context = Context::new(&headers(&["Bearer svc_test_x"]), &format);
        assert_eq!(context.mode(), None);
    }
}
