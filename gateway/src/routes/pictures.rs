//! `GET /pictures/{name}` (§10.9): for browsers, without a key and without the envelope.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use contracts::listings::v1::GetPictureResponse;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
};
use http::{Method, StatusCode};
use kit::{Code, Fault};

use crate::app::App;
use crate::domain::picture::Name;
use crate::envelope::{self, ETag, IfNoneMatch};
use crate::errors::ApiError;
use crate::extract::path_param::PathParam;
use crate::upstream::pictures::{self, Pictures};

/// A name contains the hash of its file, so the file never changes. A shared cache asks again after a minute, because the picture may have
/// been withdrawn.
const IMMUTABLE: HeaderValue =
    HeaderValue::from_static("public, max-age=31536000, s-maxage=60, immutable");
/// A missing picture may be uploaded soon.
const ONE_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// Browsers must not guess another type, such as HTML.
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

pub async fn get(
    State(app): State<App>,
    name: Result<PathParam, ApiError>,
    request: Request,
) -> Response {
    let response = respond(app, name, request.method(), request.headers()).await;
    response.unwrap_or_else(|error| {
        let is_missing = error.fault.code == Code::NotFound;
        let mut response = error.into_response();
        if is_missing {
            response.headers_mut().insert(CACHE_CONTROL, ONE_MINUTE);
        }
        response
    })
}

async fn respond(
    app: App,
    name: Result<PathParam, ApiError>,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    // A wrong method is rejected before a wrong name.
    let is_head = match *method {
        Method::GET => false,
        Method::HEAD => true,
        _ => return Err(ApiError::method_not_allowed("GET, HEAD".to_owned())),
    };
    let not_found = || Fault::not_found("There is no picture with this name.");
    let PathParam(name) = name?;
    let name = Name::parse(&name).ok_or_else(not_found)?;
    let etag = ETag::strong(name.hash());
    let if_none_match = IfNoneMatch::from_headers(headers);
    let mut response = if if_none_match.names(&etag) {
        // The name of a file is its hash, so a client that has the file gets a 304 without a call.
        not_modified()
    } else if is_head {
        // A HEAD describes a file of this name without a check that it exists: only GET calls listings-svc.
        let mut response = without_body();
        let kind = name.content_type().map(HeaderValue::from_static);
        let headers = response.headers_mut();
        headers.extend(kind.map(|kind| (CONTENT_TYPE, kind)));
        response
    } else {
        let first = app.pictures.first_part(name.as_str()).await?;
        if if_none_match.matches(&etag) {
            not_modified()
        } else {
            picture(Arc::clone(&app.pictures), name, first)?
        }
    };
    let headers = response.headers_mut();
    headers.extend(etag.into_value().map(|etag| (ETAG, etag)));
    headers.insert(CACHE_CONTROL, IMMUTABLE);
    headers.insert(HeaderName::from_static("x-content-type-options"), NOSNIFF);
    Ok(envelope::raw(response))
}

/// The response with a picture, whose first part has been read.
fn picture(
    pictures: Arc<Pictures>,
    name: Name<'_>,
    first: GetPictureResponse,
) -> Result<Response, ApiError> {
    let kind = HeaderValue::from_str(&first.content_type);
    let kind = kind.map_err(|error| Fault::internal(&error))?;
    let size = first.size;
    let bytes = pictures::stream(pictures, name.as_str().to_owned(), first);
    let mut response = Response::new(Body::from_stream(bytes));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CONTENT_LENGTH, size.into());
    Ok(response)
}

fn not_modified() -> Response {
    let mut response = without_body();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

/// A response whose body has an unknown length, so that the server adds no `Content-Length` of 0.
fn without_body() -> Response {
    let body = futures::stream::empty::<Result<bytes::Bytes, Fault>>();
    Response::new(Body::from_stream(body))
}
