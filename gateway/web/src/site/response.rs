//! Responses of public pages. Caches may store them, and ask each time whether they have changed (`etag.rs`).

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, VARY};
use http::{HeaderName, HeaderValue};
use kit::Fault;
use pages::{Frame, Template};

use crate::app::Web;
use crate::etag::REVALIDATE;
use crate::page_error::PageResult;
use crate::render::{PageStatus, html, ok};
use crate::visit::Visit;

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const HTML: &str = "text/html; charset=utf-8";

/// A page.
pub(crate) fn respond<T: Template>(
    app: &Web,
    visit: &Visit,
    render: impl FnOnce(Frame) -> Result<T, Fault>,
) -> PageResult {
    respond_as(app, visit, HTML, |frame| Ok(ok(&render(frame)?)))
}

/// A page that is not HTML.
pub(crate) fn respond_as(
    app: &Web,
    visit: &Visit,
    media_type: &'static str,
    make: impl FnOnce(Frame) -> Result<Response, Fault>,
) -> PageResult {
    let frame = visit.frame(&app.public_url);
    let mut response = revalidated(make(frame)?, media_type);
    let headers = response.headers_mut();
    let language = HeaderValue::from_static(visit.language.code());
    headers.insert(CONTENT_LANGUAGE, language);
    if visit.is_negotiated() {
        let vary = HeaderValue::from_static("accept-encoding, accept-language");
        headers.insert(VARY, vary);
    }
    Ok(response)
}

/// A file, which has no language.
pub(crate) fn respond_file(media_type: &'static str, content: impl Into<Body>) -> Response {
    revalidated(content.into().into_response(), media_type)
}

/// A file that search engines should not list, since a page has the same text.
pub(crate) fn respond_file_of_page(media_type: &'static str, content: impl Into<Body>) -> Response {
    let mut response = respond_file(media_type, content);
    let headers = response.headers_mut();
    headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    response
}

fn revalidated(mut response: Response, media_type: &'static str) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, REVALIDATE);
    // A 304 needs it too: caches replace the stored headers with those of a 304.
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// A page that no cache may store, such as one with a form that is sent once.
pub(crate) fn uncached(
    visit: &Visit,
    status: impl Into<PageStatus>,
    page: &impl Template,
) -> Response {
    let mut response = html(status, page);
    let language = HeaderValue::from_static(visit.language.code());
    response.headers_mut().insert(CONTENT_LANGUAGE, language);
    response
}
