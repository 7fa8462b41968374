//! The functions that the libFuzzer targets call. Each parses untrusted input, asserts what holds for every input, and returns whether the
//! input is accepted, so that a test sees that valid input is.
//!
//! Only cargo-fuzz compiles the targets, which only call these functions. The functions are linted and tested like other code, so that a change of a
//! parser cannot break a target unnoticed.

#![expect(
    clippy::unwrap_used,
    reason = "a target that cannot go on says so and ends"
)]

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr};

use catalogue::index::entity::Entity as FeedEntity;
use gateway::domain::secret::KeyFormat;
use gateway::extract::query::Params;
use http::{HeaderMap, HeaderValue};
use kit::api::cursor::{Binding, SortTime};
use kit::api::{json_object, timestamp};
use kit::client_address::{ProxyHeader, TrustedProxies, resolve};
use listings::domain::address;
use listings::domain::entity::Entity as ImportedEntity;
use listings::domain::pictures::PictureKind;
use listings::pictures::process;
use listings::write::import::refused_row;
use pages::docs::Guide;
use pages::site::articles::Article;

/// The id of the entities in [`feed_row`].
const ID: &str = "018f2f3e-0000-7000-8000-000000000001";

/// The entity types on the feed of listings-svc.
const FEED_KINDS: [&str; 3] = ["page", "game", "event"];

/// The types of files that staff import.
const IMPORTED_KINDS: [ImportedEntity; 3] = [
    ImportedEntity::Page,
    ImportedEntity::Game,
    ImportedEntity::Event,
];

/// The HTML elements that Markdown produces.
const ELEMENTS: [&str; 25] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "br",
    "img",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
];

/// A link to another site in a listing. An accepted address parses to itself.
pub fn address(text: &str) -> bool {
    let Ok(url) = address::read(text) else {
        return false;
    };
    assert_eq!(address::read(&url), Ok(url));
    true
}

/// A header line in which proxies name the client, as each of the two headers.
pub fn client_address(line: &[u8]) -> bool {
    let Ok(line) = HeaderValue::from_bytes(line) else {
        return false;
    };
    let everybody: TrustedProxies = "0.0.0.0/0,::/0".parse().unwrap();
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let clients = [ProxyHeader::Forwarded, ProxyHeader::XForwardedFor].map(|header| {
        let mut headers = HeaderMap::new();
        headers.insert(header.name(), line.clone());
        resolve(&everybody, header, peer, &headers)
    });
    clients.into_iter().any(|client| client != peer)
}

/// A cursor of a list. The key of an accepted cursor encodes to a cursor with the same key.
pub fn cursor(text: &str) -> bool {
    let binding = Binding::new("games", []);
    let Some(key) = binding.decode::<(SortTime, String)>(text) else {
        return false;
    };
    let again = binding.encode(&key).unwrap();
    assert_eq!(binding.decode(&again), Some(key));
    true
}

/// An entity in protobuf on the feed of listings-svc, as each type. An accepted entity has the id of its row.
pub fn feed_row(encoded: &[u8]) -> bool {
    let read = |kind| FeedEntity::read(kind, ID, encoded, "https://mchezo.example");
    let entities = FEED_KINDS.map(|kind| read(kind).ok().flatten());
    let mut entities = entities.into_iter().flatten().peekable();
    let is_accepted = entities.peek().is_some();
    let id = |entity: FeedEntity| match entity {
        FeedEntity::Page(id, _) | FeedEntity::Game(id, _) | FeedEntity::Event(id, _) => id,
    };
    assert!(entities.all(|entity| id(entity).to_string() == ID));
    is_accepted
}

/// A line of a file that staff import, as each type of file. A refused line has reasons.
pub fn import_row(line: &str) -> bool {
    let refused = IMPORTED_KINDS.map(|kind| refused_row(kind, line));
    assert!(refused.iter().flatten().all(|row| !row.fields.is_empty()));
    refused.iter().any(Option::is_none)
}

pub fn json_body(body: &[u8]) -> bool {
    json_object::parse(body).is_ok()
}

pub fn key(text: &str) -> bool {
    KeyFormat::new("svc_").parse(text).is_some()
}

/// The Markdown of an article and of a guide, below its title. The HTML has only elements of Markdown.
pub fn page_text(text: &str) {
    let text = format!("# Title\n\n{text}");
    Guide::read(&text, "guide-").unwrap();
    let article = Article::read(&text).unwrap();
    for tag in article.html.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        assert!(ELEMENTS.contains(&name.unwrap()), "{}", article.html);
    }
}

/// A file that a person uploads as a picture.
pub fn picture(file: &[u8]) -> bool {
    process(file, PictureKind::Avatar).is_ok()
}

pub fn query(query: &str) -> bool {
    let mut params = Params::parse(Some(query));
    params.timestamp_or_now("at");
    params.page();
    params.text("q");
    params.finish().is_ok()
}

/// A time in a query or body. The year of an accepted time has four digits.
pub fn timestamp(text: &str) -> bool {
    let time = timestamp::parse(text);
    assert!(time.is_none_or(|time| (0..=9_999).contains(&time.year())));
    time.is_some()
}
