//! Files of the pages. Their names change with their content, so browsers may store them for ever.

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use pages::asset;

use crate::page_error::PageError;

pub async fn show(Path(name): Path<String>) -> Result<Response, PageError> {
    let asset = asset::find(&name).ok_or_else(PageError::not_found)?;
    let headers = [
        (CONTENT_TYPE, asset.media_type),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((headers, asset.content).into_response())
}
