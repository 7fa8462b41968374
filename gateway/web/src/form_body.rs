//! The body of a form.

use axum::body::Body;
use axum::extract::{Form, FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;

use crate::page_error::PageError;

/// The longest body of most forms.
pub const DEFAULT_LIMIT: usize = 64 * 1024;
/// The longest body of any form. Longer ones are uploads of files.
pub const MAX_LIMIT: usize = 256 * 1024;
/// How much of a form that is too long is read. A browser reads the response only after it has sent
/// the body, so that without this it would show a broken connection in place of what to do.
const MAX_READ: usize = 4 * 1024 * 1024;

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
    let body = read(body, limit).await?;
    // Pages show typed fields again, so their number must not be the sender's choice.
    let fields = body.split(|byte| *byte == b'&').count();
    if fields > MAX_FIELDS {
        return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
    }
    Ok(Request::from_parts(head, Body::from(body)))
}

/// Reads a body of at most this length, and discards what a longer one has beyond it.
async fn read(mut body: Body, limit: usize) -> Result<Bytes, PageError> {
    let (mut read, mut length) = (BytesMut::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_broken| unreadable(StatusCode::BAD_REQUEST))?;
        let data = frame.into_data().unwrap_or_default();
        length = length.saturating_add(data.len());
        if length > MAX_READ {
            break;
        }
        if length <= limit {
            read.extend_from_slice(&data);
        }
    }
    if length > limit {
        return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
    }
    Ok(read.freeze())
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::{StreamExt as _, stream};

    use super::*;

    const PART: usize = 64 * 1024;

    /// The status after a form of so many parts, and how many of them were read.
    async fn send(parts: usize) -> (StatusCode, usize) {
        let read = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&read);
        let body = stream::iter(0..parts).map(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from(vec![b'x'; PART]))
        });
        let request = Request::post("/").body(Body::from_stream(body)).unwrap();
        let buffered = buffer(request, PART).await;
        let status = buffered.map_or_else(|error| error.status, |_| StatusCode::OK);
        (status, read.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_form_that_is_too_long_is_read_so_that_the_browser_shows_the_answer() {
        let too_long = StatusCode::PAYLOAD_TOO_LARGE;
        assert_eq!(send(1).await, (StatusCode::OK, 1));
        assert_eq!(send(20).await, (too_long, 20));
        // Nobody keeps the site reading.
        let most = MAX_READ / PART + 1;
        assert_eq!(send(10_000).await, (too_long, most));
    }
}
