//! Files of the pages. Their names change with their content, so browsers may store them for ever.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use kit::representations::Representations;
use pages::asset;

use crate::page_error::PageError;
use crate::render::RESOURCE_POLICY;

/// For an address whose content never changes.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For an address of another release.
pub const UNSTORED: &str = "no-store";
const FOR_A_DAY: &str = "public, max-age=86400";

/// The files by name. Nothing limits how many a client asks for, so no request compresses one.
static FILES: LazyLock<HashMap<&str, Representations>> = LazyLock::new(|| {
    let file = |it: &'static asset::Asset| {
        (it.name.as_str(), Representations::new(&Bytes::from_static(it.content)))
    };
    HashMap::from(asset::all().map(file))
});

/// A file. In a rolling update, a page of another release names a file that this process does not have: the page gets the file of this
/// release instead, and stores it nowhere.
pub async fn show(Path(name): Path<String>, accepted: HeaderMap) -> Result<Response, PageError> {
    let (asset, cached) = match asset::find(&name) {
        Some(asset) => (asset, FOR_EVER),
        None => (asset::of_other_release(&name).ok_or_else(PageError::not_found)?, UNSTORED),
    };
    let headers = [
        (CONTENT_TYPE, asset.media_type),
        (CACHE_CONTROL, cached),
        // Other sites show the picture of a link.
        (RESOURCE_POLICY, "cross-origin"),
    ];
    Ok((headers, FILES[asset.name.as_str()].respond(&accepted)).into_response())
}

/// The icon for programs that look for it at its old address.
pub async fn favicon() -> Response {
    icon("image/x-icon", asset::FAVICON)
}

/// The icon for the home screen of a telephone.
pub async fn touch_icon() -> Response {
    icon("image/png", asset::TOUCH_ICON)
}

fn icon(media_type: &'static str, content: &'static [u8]) -> Response {
    let headers = [(CONTENT_TYPE, media_type), (CACHE_CONTROL, FOR_A_DAY)];
    (headers, content).into_response()
}
