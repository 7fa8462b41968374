//! Pictures of public listings (§10.9), also for pages of other sites.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use contracts::listings::v1::GetPictureRequest;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::app::App;
use crate::domain::picture_name::is_file_name;
use crate::etag;
use crate::page_error::PageError;
use crate::picture_file;
use crate::render::RESOURCE_POLICY;

/// The content of a name never changes. A shared cache asks again each minute, so that a picture that is no longer public soon disappears.
const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=60, immutable";
/// How long a picture waits until fewer others are read.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

pub async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    if !is_file_name(&name) {
        return Err(PageError::not_found());
    }
    // A browser that has the picture gets a 304 without a call.
    let tag = format!("\"{}\"", name.trim_end_matches(".jpg"));
    let mut response = if etag::is_known(headers.get_all(IF_NONE_MATCH), &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let _permit = app.public_pictures.acquire(QUEUE_TIMEOUT).await?;
        let request = GetPictureRequest {
            name,
            ..GetPictureRequest::default()
        };
        picture_file::respond(App::clone(&app), request, CACHE_CONTROL).await?
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(
        http::header::CACHE_CONTROL,
        HeaderValue::from_static(CACHE_CONTROL),
    );
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    Ok(response)
}
