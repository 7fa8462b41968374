//! Share cards: the pictures with which networks show links to pages of games, creators and events, and to all other pages.
//!
//! The first request for a card draws it. The pages' addresses of cards have a hash of their content, so caches may store a card for ever.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use contracts::public;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use http::{HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::pattern;
use pages::site::share::LinkImage;
use pages::site::{Frame, Language, Texts};
use sha2::{Digest as _, Sha256};

use super::picture::CACHE_CONTROL as FOR_EVER;
use super::query::{Query, address};
use super::request::SiteRequest;
use crate::app::Web;
use crate::domain::picture_name::is_file_name;
use crate::listings::picture_file::whole_file;
use crate::page_error::PageResult;
use crate::render::RESOURCE_POLICY;
use crate::share_cards::{PictureShape, SIZE, Words, draw};
use crate::visit::Visit;

/// Raise this version when cards are drawn differently, so that old cards are not found any more.
const DRAWING: u32 = 4;
/// How long a request waits to draw a card.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// The content of a card.
struct Card {
    path: String,
    /// The language of the dates on the card, if it has any.
    language: Option<Language>,
    words: Words,
    /// The name of the picture's file.
    picture: Option<(PictureShape, String)>,
    /// What a card without a picture has, as SVG.
    drawing: Option<String>,
}

impl Card {
    fn of_game(site: &str, row: &public::GameRow) -> Self {
        let file = file_name(site, row.cover_url.as_deref());
        let drawing = || pattern::draw("games", &row.country_code, &row.slug).svg();
        Self {
            path: format!("/games/{}/card.jpg", row.slug),
            language: None,
            words: Words::new(&row.title, &row.tagline, &row.creator.name),
            drawing: file.is_none().then(drawing),
            picture: file.map(|it| (PictureShape::Wide, it)),
        }
    }

    fn of_creator(site: &str, row: &public::CreatorRow) -> Self {
        let file = file_name(site, row.avatar_url.as_deref());
        let drawing = || pattern::draw("creators", &row.country_code, &row.handle).svg();
        Self {
            path: format!("/creators/{}/card.jpg", row.handle),
            language: None,
            words: Words::new(&row.name, &row.tagline, &row.city),
            drawing: file.is_none().then(drawing),
            picture: file.map(|it| (PictureShape::Square, it)),
        }
    }

    fn of_event(texts: &Texts, event: &public::Event) -> Self {
        let days = texts.days(&event.starts_at, event.ends_at.as_deref());
        let drawing = pattern::draw("events", &event.country_code, &event.slug);
        Self {
            path: format!("/events/{}/card.jpg", event.slug),
            language: Some(texts.language()),
            words: Words::new(&event.title, &days, &event.city),
            picture: None,
            drawing: Some(drawing.svg()),
        }
    }

    /// The card of pages that are about no listing.
    fn of_site(texts: &Texts) -> Self {
        Self {
            path: "/card.jpg".to_owned(),
            language: Some(texts.language()),
            words: Words::new("Mchezo", texts.say("start-title"), ""),
            picture: None,
            drawing: None,
        }
    }

    /// A hash of what stands on the card.
    fn key(&self) -> String {
        let (shape, picture) = match &self.picture {
            Some((PictureShape::Wide, name)) => ("wide", name.as_str()),
            Some((PictureShape::Square, name)) => ("square", name.as_str()),
            None => ("", ""),
        };
        let mut hash = Sha256::new();
        hash.update(DRAWING.to_le_bytes());
        let looks = [shape, picture, self.drawing.as_deref().unwrap_or_default()];
        for part in self.words.lines().into_iter().chain(looks) {
            // Hash the lengths too, so that no two lists of parts have the same bytes.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hex::encode(hash.finalize())
    }
}

/// The file of a picture that this site serves.
fn file_name(site: &str, url: Option<&str>) -> Option<String> {
    let name = url?.strip_prefix(site)?.strip_prefix("/pictures/")?;
    is_file_name(name).then(|| name.to_owned())
}

/// The beginning of a key, as addresses have it.
fn version(key: &str) -> &str {
    key.get(..16).unwrap_or(key)
}

/// The card as the picture of links to a page. `None` if the card would be empty.
fn image(site: &str, title: &str, card: &Card) -> Option<LinkImage> {
    if card.words.is_empty() && card.picture.is_none() && card.drawing.is_none() {
        return None;
    }
    let key = card.key();
    let parameters = [
        ("language", card.language.map(Language::code)),
        ("v", Some(version(&key))),
    ];
    Some(LinkImage {
        href: format!("{site}{}", address(&card.path, &parameters)),
        width: SIZE.0,
        height: SIZE.1,
        media_type: "image/jpeg",
        alt: title.to_owned(),
    })
}

/// Gives the card of the site to a page that has none.
pub(super) fn or_of_site(frame: &mut Frame) {
    if frame.share.image.is_none() {
        let card = Card::of_site(frame.texts);
        frame.share.image = image(&frame.site, "Mchezo", &card);
    }
}

pub(super) fn of_game(site: &str, row: &public::GameRow) -> Option<LinkImage> {
    image(site, &row.title, &Card::of_game(site, row))
}

pub(super) fn of_creator(site: &str, row: &public::CreatorRow) -> Option<LinkImage> {
    image(site, &row.name, &Card::of_creator(site, row))
}

pub(super) fn of_event(frame: &Frame, event: &public::Event) -> Option<LinkImage> {
    let card = Card::of_event(frame.texts, event);
    image(&frame.site, &event.title, &card)
}

pub async fn game(request: SiteRequest, Path(slug): Path<String>) -> PageResult {
    let (app, query, visit) = (&request.app, &request.query, request.visit);
    let game: public::Game = app.catalogue.game(&slug).await?.parse()?;
    let card = Card::of_game(&app.public_url, &game.row);
    respond(app, &visit, query, card).await
}

pub async fn creator(request: SiteRequest, Path(handle): Path<String>) -> PageResult {
    let (app, query, visit) = (&request.app, &request.query, request.visit);
    let creator: public::Creator = app.catalogue.creator(&handle).await?.parse()?;
    let card = Card::of_creator(&app.public_url, &creator.row);
    respond(app, &visit, query, card).await
}

pub async fn event(request: SiteRequest, Path(slug): Path<String>) -> PageResult {
    let (app, query, visit) = (&request.app, &request.query, request.visit);
    let event: public::Event = app.catalogue.event(&slug).await?.parse()?;
    respond(app, &visit, query, Card::of_event(texts(query), &event)).await
}

pub async fn site(request: SiteRequest) -> PageResult {
    let (app, query, visit) = (&request.app, &request.query, request.visit);
    respond(app, &visit, query, Card::of_site(texts(query))).await
}

/// The texts in the language that an address of a card names.
fn texts(query: &Query) -> &'static Texts {
    let mut languages = Language::ALL.into_iter();
    let language = languages.find(|it| query.get("language") == Some(it.code()));
    Texts::of(language.unwrap_or(Language::English))
}

async fn respond(app: &Web, visit: &Visit, query: &Query, card: Card) -> PageResult {
    let key = card.key();
    let tag = format!("\"{key}\"");
    let mut response = if visit.has(&tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let drawn = &app.share_cards.drawn;
        let file = drawn
            .get_or_insert_async(&key, draw_card(app, card))
            .await?;
        let media_type = HeaderValue::from_static("image/jpeg");
        ([(CONTENT_TYPE, media_type)], file).into_response()
    };
    describe(&mut response, &tag, query.get("v") == Some(version(&key)));
    Ok(response)
}

/// `is_versioned`: the address has the hash of this card.
fn describe(response: &mut Response, tag: &str, is_versioned: bool) {
    let headers = response.headers_mut();
    let caching = if is_versioned {
        FOR_EVER
    } else {
        "public, no-cache"
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
}

/// Draws a card.
async fn draw_card(app: &Web, card: Card) -> Result<Bytes, Fault> {
    // Read the picture before the permit, so that cards without a picture do not wait for listings-svc.
    let picture = match card.picture {
        Some((shape, name)) => read(app, &name).await?.map(|file| (shape, file)),
        None => None,
    };
    let permit = app.share_cards.drawing.acquire(QUEUE_TIMEOUT).await?;
    // The closure owns the permit, since it runs to its end even if the caller is dropped.
    let work = tokio::task::spawn_blocking(move || {
        let file = draw(&card.words, picture, card.drawing.as_deref());
        drop(permit);
        file
    });
    let drawn = work.await.map_err(|error| Fault::internal(&error))?;
    let file = drawn.map_err(|error| Fault::internal(error.as_ref()))?;
    Ok(Bytes::from(file))
}

/// Reads the file of a picture. `None` if the picture was withdrawn meanwhile.
async fn read(app: &Web, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    match whole_file(app, name).await {
        Ok(file) => Ok(Some(file)),
        Err(fault) if fault.code == Code::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}
