//! Pictures of public listings (§10.9), also for pages of other sites.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Response};
use contracts::listings::v1::GetPictureRequest;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::domain::picture_name::is_file_name;
use crate::layers::etag;
use crate::listings::picture_file;
use crate::page_error::PageError;
use crate::render::RESOURCE_POLICY;

/// The content of a name never changes. A shared cache asks again each minute, so that a withdrawn picture soon disappears.
const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=60, immutable";
/// How long a picture waits until fewer others are read.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Default, Deserialize)]
pub struct WidthQuery {
    /// The width in pixels. Without it, or if no rendition has this width, the named file is sent.
    #[serde(default)]
    width: Option<u32>,
}

pub async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
    query: Result<Query<WidthQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    if !is_file_name(&name) {
        return Err(PageError::not_found());
    }
    let width = query.ok().and_then(|Query(query)| query.width).unwrap_or(0);
    // The content of a name and a width never changes, so a browser that has the picture gets a 304 without a call.
    let hash = name.trim_end_matches(".jpg");
    let tag = match width {
        0 => format!("\"{hash}\""),
        width => format!("\"{hash}-{width}\""),
    };
    let mut response = if etag::is_known(headers.get_all(IF_NONE_MATCH), &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let _permit = app.public_pictures.acquire(QUEUE_TIMEOUT).await?;
        let request = GetPictureRequest {
            name,
            width,
            ..GetPictureRequest::default()
        };
        picture_file::file(App::clone(&app), request, CACHE_CONTROL).await?
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
