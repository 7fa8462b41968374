//! Files of the pages. Their names change with their content, so browsers may store them for ever.

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use pages::asset;

use crate::page_error::PageError;
use crate::render::RESOURCE_POLICY;

/// For an address whose content never changes.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For an address of another release.
pub const UNSTORED: &str = "no-store";
const FOR_A_DAY: &str = "public, max-age=86400";

/// A file. In a rolling update, a page of another release names a file that this process does not have: the page gets the file of this
/// release instead, and stores it nowhere.
pub async fn show(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, PageError> {
    let (asset, cached) = match asset::find(&name) {
        Some(asset) => (asset, FOR_EVER),
        None => (
            asset::of_other_release(&name).ok_or_else(PageError::not_found)?,
            UNSTORED,
        ),
    };
    let fixed = [
        (CONTENT_TYPE, asset.media_type),
        (CACHE_CONTROL, cached),
        (VARY, "accept-encoding"),
        // A game in a sandboxed frame loads its style without an origin.
        (RESOURCE_POLICY, "cross-origin"),
    ];
    let gzip = asset.gzip.as_ref().filter(|_| accepts_gzip(&headers));
    Ok(match gzip {
        Some(gzip) => {
            let coding = [(CONTENT_ENCODING, "gzip")];
            (fixed, coding, gzip.clone()).into_response()
        }
        None => (fixed, asset.content).into_response(),
    })
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

/// Whether the client reads gzip, as every browser does. The compressed form of a file is made once, so it is the only one.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=");
        let weight: Option<f32> = weight.and_then(|weight| weight.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn gzip_is_sent_to_clients_that_read_it() {
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("br, GZip;q=0.5", true),
            ("gzip; q=1.0", true),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("identity", false),
            ("br", false),
            ("", false),
        ] {
            let value = HeaderValue::from_static(accepted);
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, value)]);
            assert_eq!(accepts_gzip(&headers), expected, "{accepted}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
