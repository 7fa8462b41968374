//! The read-only fields of a listing as a read returns them: a body may send the whole listing back.

use contracts::public;
use serde_json::{Map, Value, json};

use crate::domain::listing::{Content, Listing};
use crate::feed::PublicUrl;
use crate::store::page_owners::OwnedPage;

/// The fields of `GET /creators/{handle}`, `GET /games/{slug}` or `GET /events/{slug}`. Only a game has a `page`.
pub(super) fn read_only_fields(
    listing: &Listing,
    page: Option<&OwnedPage>,
    public_url: &PublicUrl,
) -> Map<String, Value> {
    let url = public_url.listing(listing.entity(), listing.name());
    let created_at = public::Timestamp(listing.created_at);
    let picture = |url: &String| public_url.picture(url);
    let fields = match &listing.content {
        Content::Page(page) => json!({
            "handle": page.handle,
            "avatar_url": page.avatar_url.as_ref().map(picture),
            "city_slug": page.city_slug,
            "verified": page.verified,
            "url": url,
        }),
        Content::Game(game) => {
            let screenshots = game.screenshots.iter().map(|it| public::Screenshot {
                url: picture(&it.url),
                width: it.width,
                height: it.height,
                alt: it.alt.clone(),
            });
            json!({
                "slug": game.slug,
                "cover_url": game.cover_url.as_ref().map(picture),
                "screenshots": screenshots.collect::<Vec<_>>(),
                "featured": game.featured,
                "country_code": page.map(|page| &page.country_code),
                "city": page.map(|page| &page.city),
                "url": url,
                "created_at": created_at,
            })
        }
        // The address of the page has the name of a field.
        Content::Event(event) => json!({
            "slug": event.slug,
            "city_slug": event.city_slug,
            "url": url,
            "created_at": created_at,
        }),
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
