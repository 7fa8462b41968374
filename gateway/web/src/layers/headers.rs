//! Headers of every response.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use http::{HeaderName, HeaderValue};

use crate::app::App;
use crate::render::RESOURCE_POLICY;
use crate::session_cookie::CookieStyle;

/// Allows files and forms of this site only, and no inline scripts or styles and no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const FIXED: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    // With `no-referrer`, browsers would send `Origin: null` with forms.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
];

/// Adds the headers.
pub async fn add(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if app.cookie == CookieStyle::Secure {
        // Other sites may be below the same domain, and decide by themselves.
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert("strict-transport-security", year);
    }
    // Pages of other sites may show public pictures, which have set this header.
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    // By default nothing is cached: pages differ per person, and some have secrets.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
