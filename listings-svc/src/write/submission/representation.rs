//! The read-only fields of a listing as a read returns them: a body may send the whole listing back.

use contracts::public;
use serde_json::{Map, Value, json};

use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::feed::{PublicUrl, Publish as _};
use crate::store::page_owners::OwnedPage;

/// Those of `GET /games/{slug}`.
pub(super) fn game(
    game: &Listing<Game>,
    page: &OwnedPage,
    public_url: &PublicUrl,
) -> Map<String, Value> {
    let content = &game.content;
    let picture = |url: &String| public_url.picture(url);
    let screenshots = content.screenshots.iter();
    let screenshots = screenshots.map(|it| public::Screenshot {
        url: picture(&it.url),
        width: it.width,
        height: it.height,
        alt: it.alt.clone(),
    });
    object(json!({
        "slug": content.slug,
        "cover_url": content.cover_url.as_ref().map(picture),
        "screenshots": screenshots.collect::<Vec<_>>(),
        "featured": content.featured,
        "country_code": page.country_code,
        "city": page.city,
        "url": game.url(public_url),
        "created_at": public::Timestamp(game.created_at),
    }))
}

/// Those of `GET /creators/{handle}`.
pub(super) fn page(page: &Listing<Page>, public_url: &PublicUrl) -> Map<String, Value> {
    let content = &page.content;
    let avatar_url = content.avatar_url.as_ref();
    object(json!({
        "handle": content.handle,
        "avatar_url": avatar_url.map(|url| public_url.picture(url)),
        "city_slug": content.city_slug,
        "verified": content.verified,
        "url": page.url(public_url),
    }))
}

/// Those of `GET /events/{slug}`, and the address of the page, which has the name of a field.
pub(super) fn event(event: &Listing<Event>, public_url: &PublicUrl) -> Map<String, Value> {
    object(json!({
        "slug": event.content.slug,
        "city_slug": event.content.city_slug,
        "url": event.url(public_url),
        "created_at": public::Timestamp(event.created_at),
    }))
}

fn object(fields: Value) -> Map<String, Value> {
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
