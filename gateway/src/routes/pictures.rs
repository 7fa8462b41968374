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
use crate::upstream::pictures;

/// A name contains the hash of its file, so the file never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
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
    let not_modified = IfNoneMatch::from_headers(headers).matches(&etag);
    let mut response = if is_head || not_modified {
        let metadata = app.pictures.metadata(name.as_str()).await?;
        head(&metadata)?
    } else {
        let first = app.pictures.first_part(name.as_str()).await?;
        let mut response = head(&first)?;
        let bytes = pictures::stream(Arc::clone(&app.pictures), name.as_str().to_owned(), first);
        *response.body_mut() = Body::from_stream(bytes);
        response
    };
    if not_modified {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_LENGTH);
        response.headers_mut().remove(CONTENT_TYPE);
    }
    let headers = response.headers_mut();
    headers.extend(etag.into_value().map(|etag| (ETAG, etag)));
    headers.insert(CACHE_CONTROL, IMMUTABLE);
    headers.insert(HeaderName::from_static("x-content-type-options"), NOSNIFF);
    Ok(envelope::raw(response))
}

fn head(picture: &GetPictureResponse) -> Result<Response, ApiError> {
    let kind = HeaderValue::from_str(&picture.content_type);
    let kind = kind.map_err(|error| Fault::internal(&error))?;
    let mut response = Response::new(Body::from_stream(futures::stream::empty::<
        Result<bytes::Bytes, Fault>,
    >()));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, picture.size.into());
    Ok(response)
}
