//! `GET /pictures/{name}` (§10.9): for browsers, without a key and outside the envelope.

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
use crate::envelope::{self, Tag, Tags};
use crate::errors::Refusal;
use crate::extract::path_param::PathParam;
use crate::upstream::pictures::rest;

/// What a name stands for never changes.
const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// A picture that is not there may be on its way.
const SHORTLY: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// It is what its type says, and no page.
const AS_TYPED: HeaderValue = HeaderValue::from_static("nosniff");

/// One picture.
pub async fn one(
    State(app): State<App>,
    name: Result<PathParam, Refusal>,
    request: Request,
) -> Response {
    let answer = answer(app, name, request.method(), request.headers()).await;
    answer.unwrap_or_else(|refusal| {
        let is_missing = refusal.fault.code == Code::NotFound;
        let mut response = refusal.into_response();
        if is_missing {
            response.headers_mut().insert(CACHE_CONTROL, SHORTLY);
        }
        response
    })
}

async fn answer(
    app: App,
    name: Result<PathParam, Refusal>,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Refusal> {
    // A wrong method is refused whatever the name is.
    let is_head = match *method {
        Method::GET => false,
        Method::HEAD => true,
        _ => return Err(Refusal::method_not_allowed("GET, HEAD".to_owned())),
    };
    let none = || Fault::not_found("there is no picture of this name");
    let PathParam(name) = name?;
    let name = Name::parse(&name).ok_or_else(none)?;
    let tag = Tag::strong(name.hash());
    let is_known = Tags::by(headers).has(&tag);
    let mut response = if is_head || is_known {
        let known = app.pictures.look(name.as_str()).await?;
        head(&known)?
    } else {
        let begun = app.pictures.begin(name.as_str()).await?;
        let mut response = head(&begun)?;
        let bytes = rest(Arc::clone(&app.pictures), name.as_str().to_owned(), begun);
        *response.body_mut() = Body::from_stream(bytes);
        response
    };
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_LENGTH);
        response.headers_mut().remove(CONTENT_TYPE);
    }
    let headers = response.headers_mut();
    headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
    headers.insert(CACHE_CONTROL, FOR_GOOD);
    headers.insert(HeaderName::from_static("x-content-type-options"), AS_TYPED);
    Ok(envelope::bare(response))
}

fn head(known: &GetPictureResponse) -> Result<Response, Refusal> {
    let kind = HeaderValue::from_str(&known.content_type);
    let kind = kind.map_err(|error| Fault::internal(&error))?;
    let mut response = Response::new(Body::from_stream(futures::stream::empty::<
        Result<bytes::Bytes, Fault>,
    >()));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, known.size.into());
    Ok(response)
}
