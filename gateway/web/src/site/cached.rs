//! The `ETag` of public pages, made from their content and not from their age: an unchanged page is a 304 and is not rendered, and the next
//! request shows a change of a listing.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use kit::Fault;
use pages::Template;
use pages::site::Frame;
use xxhash_rust::xxh3::Xxh3Default;

use crate::app::Web;
use crate::page_error::PageResult;
use crate::render::{html, ok};
use crate::upstream::catalogue::{One, Rows, TimedRows};
use crate::visit::Visit;

/// Caches may store a page, and ask each time whether it is still the same.
const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

const HTML: &str = "text/html; charset=utf-8";

/// A hash of the content of a page. It is fast, not cryptographic: a studio that finds two texts with one hash can hide its own change
/// only.
#[must_use]
pub(crate) struct Version(Xxh3Default);

impl Version {
    /// The version of a page of this program, at this address and in this language.
    pub(crate) fn new(web: &Web, visit: &Visit) -> Self {
        Self::of_file(web, visit)
            .text(&web.api_url)
            .text(visit.language.code())
            .text(visit.prefix)
    }

    /// The version of a file of this program, at this address. It has no language.
    pub(crate) fn of_file(web: &Web, visit: &Visit) -> Self {
        let version = Self(Xxh3Default::new());
        version
            .text(env!("PAGES_VERSION"))
            .text(&web.public_url)
            .text(&visit.path)
    }

    /// Hashes the length of each part too, so that no two lists of parts have the same bytes.
    fn bytes(mut self, part: &[u8]) -> Self {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        self.0.update(&length.to_le_bytes());
        self.0.update(part);
        self
    }

    pub(crate) fn text(self, part: &str) -> Self {
        self.bytes(part.as_bytes())
    }

    pub(crate) fn flag(self, part: bool) -> Self {
        self.bytes(&[u8::from(part)])
    }

    pub(crate) fn one(self, part: &One) -> Self {
        self.bytes(&part.json)
    }

    pub(crate) fn rows(self, part: &Rows) -> Self {
        let cursor = part.page.next_cursor.as_deref();
        self.bytes(&part.json)
            .bytes(&part.page.total.to_le_bytes())
            .flag(cursor.is_some())
            .text(cursor.unwrap_or_default())
    }

    pub(crate) fn timed_rows(self, part: &TimedRows) -> Self {
        let version = self.rows(&part.rows);
        let times = part.times.iter();
        let times = times.flat_map(|times| [times.published, times.updated]);
        times.fold(version, |version, at| {
            version.bytes(&at.unix_timestamp_nanos().to_le_bytes())
        })
    }

    /// A part that is JSON.
    pub(crate) fn json(self, part: &[u8]) -> Self {
        self.bytes(part)
    }

    /// A part that may be missing.
    pub(crate) fn rows_if_any(self, part: Option<&Rows>) -> Self {
        let version = self.flag(part.is_some());
        match part {
            Some(rows) => version.rows(rows),
            None => version,
        }
    }

    /// A part that encodes to the same bytes each time, such as a message without maps.
    pub(crate) fn message(self, part: &impl prost::Message) -> Self {
        self.bytes(&part.encode_to_vec())
    }
}

/// The page, or 304 if the browser has it already.
pub(crate) fn respond<T: Template>(
    web: &Web,
    visit: &Visit,
    version: &Version,
    render: impl FnOnce(Frame) -> Result<T, Fault>,
) -> PageResult {
    respond_as(web, visit, version, HTML, |frame| Ok(ok(&render(frame)?)))
}

/// A page that is not HTML, or 304 if the client has it already.
pub(crate) fn respond_as(
    web: &Web,
    visit: &Visit,
    version: &Version,
    media_type: &'static str,
    make: impl FnOnce(Frame) -> Result<Response, Fault>,
) -> PageResult {
    let mut response = unless_cached(visit, version, || {
        let made = make(visit.frame(&web.public_url))?;
        Ok(typed(made, media_type))
    })?;
    describe(response.headers_mut(), visit);
    Ok(response)
}

/// A file, which has no language, or 304 if the client has it already.
pub(crate) fn respond_file(
    visit: &Visit,
    version: &Version,
    media_type: &'static str,
    write: impl FnOnce() -> Result<Body, Fault>,
) -> PageResult {
    unless_cached(visit, version, || {
        Ok(typed(write()?.into_response(), media_type))
    })
}

fn unless_cached(
    visit: &Visit,
    version: &Version,
    make: impl FnOnce() -> Result<Response, Fault>,
) -> PageResult {
    let tag = format!("W/\"{:032x}\"", version.0.digest128());
    let mut response = if visit.has(&tag) {
        not_modified()
    } else {
        make()?
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, REVALIDATE);
    Ok(response)
}

/// A page that no cache stores, such as one with a form that is sent once.
pub(crate) fn uncached(visit: &Visit, status: StatusCode, page: &impl Template) -> Response {
    let mut response = html(status, page);
    let language = HeaderValue::from_static(visit.language.code());
    response.headers_mut().insert(CONTENT_LANGUAGE, language);
    response
}

fn typed(mut response: Response, media_type: &'static str) -> Response {
    let media_type = HeaderValue::from_static(media_type);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

fn describe(headers: &mut HeaderMap, visit: &Visit) {
    let language = HeaderValue::from_static(visit.language.code());
    headers.insert(CONTENT_LANGUAGE, language);
    if visit.is_negotiated() {
        headers.insert(VARY, HeaderValue::from_static("accept-language"));
    }
}

fn not_modified() -> Response {
    StatusCode::NOT_MODIFIED.into_response()
}
