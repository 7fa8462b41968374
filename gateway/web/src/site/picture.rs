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

/// The content of a name never changes, so browsers do not ask again. A shared cache does after a minute, and loses a picture that is no
/// longer public.
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
    let tag = format!("\"{}\"", name.trim_end_matches(".jpg"));
    let request = GetPictureRequest { name, ..GetPictureRequest::default() };
    let _permit = app.public_pictures.acquire(QUEUE_TIMEOUT).await?;
    let mut response = if etag::is_known(headers.get_all(IF_NONE_MATCH), &tag) {
        // Without `most`, only the size is read. A picture that is not public is an error.
        app.listings.picture_part(request).await?;
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        picture_file::respond(App::clone(&app), request, CACHE_CONTROL).await?
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static(CACHE_CONTROL));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    Ok(response)
}
