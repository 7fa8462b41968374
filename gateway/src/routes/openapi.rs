//! `GET /openapi.json` (§10.16): the description of the API, for everybody, without a key and without the envelope.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::Method;
use http::header::{self, HeaderMap, HeaderValue};

use crate::app::App;
use crate::envelope::{self, ETag, IfNoneMatch};
use crate::errors::ApiError;

/// It changes with a release.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

pub async fn get(State(app): State<App>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::method_not_allowed("GET, HEAD".to_owned()).into_response();
    }
    let etag = ETag::of(&app.openapi, None, None);
    let is_known = IfNoneMatch::from_headers(request.headers()).matches(&etag);
    let mut headers = HeaderMap::new();
    headers.extend(etag.into_value().map(|etag| (header::ETAG, etag)));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::CACHE_CONTROL, FIVE_MINUTES);
    // Tools that run in a page may read it.
    let everybody = HeaderValue::from_static("*");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
    envelope::raw(if is_known {
        envelope::not_modified(headers)
    } else {
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        let mut response = Response::new(Body::from(app.openapi.clone()));
        *response.headers_mut() = headers;
        response
    })
}
