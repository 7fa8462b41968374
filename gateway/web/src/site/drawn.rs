//! Drawings for listings without a picture. The address has everything that determines the drawing.

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use pages::drawing;
use strum::VariantArray as _;

use crate::assets::{FOR_EVER, UNSTORED};
use crate::domain::listing_kind::{ListingKind, is_listing_name};
use crate::page_error::PageError;

/// In a rolling update, a page of another release may name another version. It gets the drawing of this release, which no cache may store.
pub async fn show(
    Path((version, kind, country, file)): Path<(String, String, String, String)>,
) -> Result<Response, PageError> {
    let name = file.strip_suffix(".svg");
    let name = name.filter(|name| is_listing_name(name));
    let is_kind = ListingKind::VARIANTS.iter().any(|it| it.api_list() == kind);
    let is_country = country.len() == 2 && country.bytes().all(|it| it.is_ascii_uppercase());
    let name = name.filter(|_| is_kind && is_country).ok_or_else(PageError::not_found)?;
    let cached = if drawing::is_current(&version) { FOR_EVER } else { UNSTORED };
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, cached)];
    Ok((headers, drawing::draw(&kind, &country, name)).into_response())
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    async fn shown(address: &str) -> Result<Response, PageError> {
        let rest = address.strip_prefix("/pictures/drawn/").unwrap();
        let parts: Vec<String> = rest.split('/').map(ToOwned::to_owned).collect();
        let [version, kind, country, file] = <[String; 4]>::try_from(parts).unwrap();
        show(Path((version, kind, country, file))).await
    }

    #[tokio::test]
    async fn the_address_of_a_drawing_returns_an_svg() {
        for country in ["GH", "NG", "ML", "CV", "ZA", "LS", "KE", "ET", "MA", "EG", "CD", "MG"] {
            let address = drawing::address("games", country, "okoto-2");
            let response = shown(&address).await.ok().unwrap();
            assert_eq!(response.headers()[CONTENT_TYPE], "image/svg+xml");
            let body = to_bytes(response.into_body(), 8_192).await.unwrap();
            let svg = std::str::from_utf8(&body).unwrap();
            let drawing = roxmltree::Document::parse(svg).unwrap();
            assert!(drawing.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
        }
    }

    #[tokio::test]
    async fn drawings_of_other_releases_are_not_cached() {
        let address = drawing::address("games", "NG", "okoto");
        let (_, path) = address.split_once("/games/").unwrap();
        for (address, cached) in [
            (address.clone(), FOR_EVER),
            (format!("/pictures/drawn/0/games/{path}"), UNSTORED),
            (format!("/pictures/drawn/999/games/{path}"), UNSTORED),
        ] {
            let response = shown(&address).await.ok().unwrap();
            assert_eq!(response.headers()[CACHE_CONTROL], cached, "{address}");
        }
    }

    #[tokio::test]
    async fn malformed_addresses_of_drawings_are_not_found() {
        let address = drawing::address("games", "NG", "okoto");
        for other in [
            address.replace("games", "game"),
            address.replace("NG", "ng"),
            address.replace("NG", "<b"),
            address.replace(".svg", ".jpg"),
            address.replace("okoto", "Okoto"),
        ] {
            assert!(shown(&other).await.is_err(), "{other}");
        }
    }
}
