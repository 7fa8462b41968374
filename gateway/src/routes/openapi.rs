//! `GET /openapi.json` (§10.16): the description of the API, for everybody, without a key and without the envelope.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::Method;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    ETAG, HeaderMap, HeaderValue, VARY,
};

use crate::app::App;
use crate::envelope::{self, ETag, IfNoneMatch};
use crate::errors::ApiError;

/// It changes with a release.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

pub async fn get(State(app): State<App>, request: Request) -> Response {
    let is_head = match *request.method() {
        Method::GET => false,
        Method::HEAD => true,
        _ => return ApiError::method_not_allowed("GET, HEAD".to_owned()).into_response(),
    };
    let file = app.openapi.negotiate(request.headers());
    let etag = ETag::strong(&file.tag);
    let is_known = IfNoneMatch::from_headers(request.headers()).matches(&etag);
    let mut headers = HeaderMap::new();
    headers.extend(etag.into_value().map(|etag| (ETAG, etag)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CACHE_CONTROL, FIVE_MINUTES);
    // Tools that run in a page may read it.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let response = if is_known {
        envelope::not_modified(headers)
    } else {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, file.bytes.len().into());
        let coding = file
            .coding
            .map(|coding| HeaderValue::from_static(coding.token()));
        headers.extend(coding.map(|coding| (CONTENT_ENCODING, coding)));
        let mut response = Response::new(Body::empty());
        *response.headers_mut() = headers;
        if !is_head {
            *response.body_mut() = Body::from(file.bytes);
        }
        response
    };
    envelope::raw(response)
}
