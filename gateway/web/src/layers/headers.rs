//! Headers of every response.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use http::{HeaderName, HeaderValue};

use crate::app::App;
use crate::session::CookieStyle;

/// Only own files, no inline script or style, no frames, no forms to other sites.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

const FIXED: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    // Not `no-referrer`, with which browsers send `Origin: null` on forms.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=()",
    ),
];

/// Adds the headers.
pub async fn add(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    // The page for frames of other sites has a policy of its own.
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    if app.cookie == CookieStyle::Secure {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert("strict-transport-security", year);
    }
    // Public pictures are for pages of other sites too.
    headers
        .entry(RESOURCE_POLICY)
        .or_insert(HeaderValue::from_static("same-origin"));
    // Pages differ by person, and some have secrets.
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
