//! The body of a form.

use axum::body::Body;
use axum::extract::{Form, FromRequest, Request};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::page_error::PageError;

/// The longest body of most forms.
pub const DEFAULT_LIMIT: usize = 64 * 1024;
/// The longest body of any form. Longer ones are uploads of files.
pub const MAX_LIMIT: usize = 256 * 1024;

/// The most fields of a form, checked boxes included. The largest forms of this site have some fifty.
pub const MAX_FIELDS: usize = 500;

/// The fields of a form. An absent field has its default value, which the handler refuses with an error at the field.
pub struct FormBody<T>(pub T);

impl<T, S> FromRequest<S> for FormBody<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        match Form::<T>::from_request(request, state).await {
            Ok(Form(fields)) => Ok(Self(fields)),
            Err(rejection) => Err(unreadable(rejection.status())),
        }
    }
}

/// Reads the body of a request into memory, except the upload of a file, which its handler reads.
pub async fn buffer(request: Request, limit: usize) -> Result<Request, PageError> {
    if is_upload(request.headers()) {
        return Ok(request);
    }
    let (head, body) = request.into_parts();
    match Limited::new(body, limit).collect().await {
        Ok(body) => {
            let body = body.to_bytes();
            // Pages show typed fields again, so their number must not be the sender's choice.
            let fields = body.split(|byte| *byte == b'&').count();
            if fields > MAX_FIELDS {
                return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
            }
            Ok(Request::from_parts(head, Body::from(body)))
        }
        Err(error) if error.is::<LengthLimitError>() => {
            Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE))
        }
        Err(_) => Err(unreadable(StatusCode::BAD_REQUEST)),
    }
}

/// Whether a request has files.
pub fn is_upload(headers: &HeaderMap) -> bool {
    const MULTIPART: &[u8] = b"multipart/form-data";
    let value = headers.get(CONTENT_TYPE).map_or(&b""[..], |it| it.as_bytes());
    let start = value.get(..MULTIPART.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(MULTIPART))
}

/// The error of a form that cannot be read.
pub fn unreadable(status: StatusCode) -> PageError {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => PageError::new(StatusCode::PAYLOAD_TOO_LARGE),
        _ => PageError::unreadable_form(),
    }
}
