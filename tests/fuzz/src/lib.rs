//! The functions that the libFuzzer targets call. Each parses untrusted input, and asserts what holds for every input.
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
pub fn address(text: &str) {
    if let Ok(url) = address::read(text) {
        assert_eq!(address::read(&url), Ok(url));
    }
}

/// A header line in which proxies name the client, as each of the two headers.
pub fn client_address(line: &[u8]) {
    let Ok(line) = HeaderValue::from_bytes(line) else {
        return;
    };
    let everybody: TrustedProxies = "0.0.0.0/0,::/0".parse().unwrap();
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    for header in [ProxyHeader::Forwarded, ProxyHeader::XForwardedFor] {
        let mut headers = HeaderMap::new();
        headers.insert(header.name(), line.clone());
        resolve(&everybody, header, peer, &headers);
    }
}

/// A cursor of a list. The key of an accepted cursor encodes to a cursor with the same key.
pub fn cursor(text: &str) {
    let binding = Binding::new("games", []);
    if let Some(key) = binding.decode::<(SortTime, String)>(text) {
        let again = binding.encode(&key).unwrap();
        assert_eq!(binding.decode(&again), Some(key));
    }
}

/// An entity in protobuf on the feed of listings-svc, as each type. An accepted entity has the id of its row.
pub fn feed_row(encoded: &[u8]) {
    for kind in FEED_KINDS {
        if let Ok(Some(entity)) = FeedEntity::read(kind, ID, encoded, "https://mchezo.example") {
            assert_eq!(entity.id, ID);
        }
    }
}

/// A line of a file that staff import, as each type of file. A refused line has reasons.
pub fn import_row(line: &str) {
    for kind in IMPORTED_KINDS {
        if let Some(row) = refused_row(kind, line) {
            assert!(!row.fields.is_empty());
        }
    }
}

pub fn json_body(body: &[u8]) {
    let _fields = json_object::parse(body);
}

pub fn key(text: &str) {
    KeyFormat::new("svc_").parse(text);
}

/// The Markdown of an article and of a guide, below its title. The HTML has only elements of Markdown.
pub fn page_text(text: &str) {
    let text = format!("# Title\n\n{text}");
    let _guide = Guide::read(&text, "guide-");
    let article = Article::read(&text).unwrap();
    for tag in article.html.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        assert!(ELEMENTS.contains(&name.unwrap()), "{}", article.html);
    }
}

/// A file that a person uploads as a picture.
pub fn picture(file: &[u8]) {
    let _pictures = process(file, PictureKind::Avatar);
}

pub fn query(query: &str) {
    let mut params = Params::parse(Some(query));
    params.timestamp_or_now("at");
    params.page();
    params.text("q");
    let _bad = params.finish();
}

/// A time in a query or body. The year of an accepted time has four digits.
pub fn timestamp(text: &str) {
    if let Some(time) = timestamp::parse(text) {
        assert!((0..=9_999).contains(&time.year()));
    }
}
