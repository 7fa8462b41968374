//! The public representation of a listing, for bodies that send it back whole. Only read-only fields are compared with it.

use contracts::public;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::feed::{PublicUrl, Publish as _};
use crate::store::page_owners::OwnedPage;

/// A game as `GET /games/{slug}` returns it.
pub(super) fn game(
    game: &Listing<Game>,
    page: &OwnedPage,
    public_url: &PublicUrl,
) -> Map<String, Value> {
    let url = game.url(public_url);
    let game = game.clone();
    object(&public::Game {
        row: public::GameRow {
            slug: game.content.slug,
            title: game.content.title,
            tagline: game.content.tagline,
            cover_url: (game.content.cover_url).map(|url| public_url.picture(&url)),
            genres: game.content.genres,
            platforms: game.content.platforms,
            stage: game.content.stage,
            release_year: game.content.release_year,
            featured: game.content.featured,
            creator: public::GameCreator {
                handle: page.handle.clone(),
                name: page.name.clone(),
            },
            country_code: page.country_code.clone(),
            city: page.city.clone(),
            url,
            created_at: public::Timestamp(game.created_at),
        },
        description: game.content.description,
        screenshots: (game.content.screenshots.into_iter())
            .map(|picture| public::Screenshot {
                url: public_url.picture(&picture.url),
                width: picture.width,
                height: picture.height,
                alt: picture.alt,
            })
            .collect(),
        links: game.content.links,
        // Accounts write them.
        credits: Vec::new(),
        trailer_url: game.content.trailer_url,
        updated_at: public::Timestamp(game.updated_at),
    })
}

/// A page as `GET /creators/{handle}` returns it, without its games.
pub(super) fn page(page: &Listing<Page>, public_url: &PublicUrl) -> Map<String, Value> {
    let url = page.url(public_url);
    let page = page.content.clone();
    object(&public::CreatorRow {
        handle: page.handle,
        name: page.name,
        kind: page.kind,
        roles: page.roles,
        tagline: page.tagline,
        avatar_url: page.avatar_url.map(|url| public_url.picture(&url)),
        country_code: page.country_code,
        city: page.city,
        city_slug: page.city_slug,
        verified: page.verified,
        url,
    })
}

/// An event as `GET /events/{slug}` returns it.
pub(super) fn event(event: &Listing<Event>, public_url: &PublicUrl) -> Map<String, Value> {
    let message = event.message(public_url);
    object(&public::Event {
        slug: message.slug,
        title: message.title,
        kind: message.kind,
        starts_at: message.starts_at,
        ends_at: message.ends_at,
        country_code: message.country_code,
        city: message.city,
        city_slug: message.city_slug,
        online: message.online,
        website: message.website,
        description: message.description,
        url: message.url,
        created_at: public::Timestamp(event.created_at),
    })
}

/// Serialization cannot fail: the value has only strings, numbers, arrays and objects.
fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => Map::new(),
    }
}
