//! Pictures of public listings (§10.9), also for pages of other sites.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Response};
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::layers::headers::RESOURCE_POLICY;
use crate::listings::picture_file;
use crate::page_error::PageError;

/// A name stands for one content for ever; a shared cache asks again each minute, so that a withdrawn picture is soon gone.
pub(super) const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=60, immutable";
/// How long a picture waits for others to be read.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Default, Deserialize)]
pub struct Size {
    /// In pixels; without one, the named file is sent. So is it if no rendition has this width.
    #[serde(default)]
    width: Option<u32>,
}

pub async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
    size: Result<Query<Size>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let _permit = app.public_pictures.acquire(QUEUE_TIMEOUT).await?;
    let width = size.ok().and_then(|Query(size)| size.width).unwrap_or(0);
    let named = (name, width);
    let (file, name) = picture_file::file(App::clone(&app), named, CACHE_CONTROL).await?;
    let tag = format!("\"{}\"", name.trim_end_matches(".jpg"));
    let sent = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let has = sent.is_some_and(|sent| sent.split(',').any(|it| it.trim() == tag));
    let mut response = if has {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        file
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
