//! Serves picture files of listings-svc from this site, since pages load nothing from other sites.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use contracts::listings::v1::GetPictureRequest;
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use kit::Fault;

use crate::app::App;
use crate::domain::picture_name::is_file_name;
use crate::page_error::PageError;

/// The length of a part. A slow browser makes this process hold one part.
const PART: u32 = 256 * 1024;

/// The position in a file that is being sent.
struct Rest {
    app: App,
    name: String,
    size: u64,
    sent: u64,
    first: Option<Bytes>,
}

/// Serves the picture file of `request`, with this `Cache-Control`.
pub async fn respond(
    app: App,
    request: GetPictureRequest,
    cache_control: &'static str,
) -> Result<Response, PageError> {
    if !is_file_name(&request.name) {
        return Err(PageError::not_found());
    }
    let name = request.name.clone();
    let request = GetPictureRequest { most: PART, ..request };
    let head = app.listings.picture_part(request).await?;
    let headers: [(HeaderName, HeaderValue); 3] = [
        // Always a JPEG for the browser, whatever listings-svc stores: a page or an SVG could have scripts.
        (CONTENT_TYPE, HeaderValue::from_static("image/jpeg")),
        (CONTENT_LENGTH, HeaderValue::from(head.size)),
        (CACHE_CONTROL, HeaderValue::from_static(cache_control)),
    ];
    let rest = Rest { app, name, size: head.size, sent: 0, first: Some(head.part) };
    let parts = stream::try_unfold(rest, next_part);
    Ok((headers, Body::from_stream(parts)).into_response())
}

/// A request for the next part of a file.
fn part(name: &str, offset: u64) -> GetPictureRequest {
    GetPictureRequest { name: name.to_owned(), offset, most: PART, ..GetPictureRequest::default() }
}

async fn next_part(mut rest: Rest) -> Result<Option<(Bytes, Rest)>, Fault> {
    if rest.sent >= rest.size {
        return Ok(None);
    }
    let next = if let Some(first) = rest.first.take() {
        first
    } else {
        let request = part(&rest.name, rest.sent);
        rest.app.listings.picture_part(request).await?.part
    };
    if next.is_empty() {
        return Ok(None);
    }
    rest.sent += u64::try_from(next.len()).unwrap_or(u64::MAX);
    Ok(Some((next, rest)))
}
