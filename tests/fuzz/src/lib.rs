//! What the targets of libFuzzer do with an input: call a parser of what comes from outside, and assert what holds for every input.
//!
//! Only cargo-fuzz compiles the targets, and they only call these functions. Lints and tests compile the functions, so that a change of a parser
//! cannot break a target unnoticed.

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

/// The id of the entities of [`feed_row`].
const ID: &str = "018f2f3e-0000-7000-8000-000000000001";

/// The kinds of entities on the listings feed.
const FEED_KINDS: [&str; 6] = ["genre", "country", "city", "page", "game", "event"];

/// The kinds of files that staff import.
const IMPORTED_KINDS: [ImportedEntity; 6] = [
    ImportedEntity::Genre,
    ImportedEntity::Country,
    ImportedEntity::City,
    ImportedEntity::Page,
    ImportedEntity::Game,
    ImportedEntity::Event,
];

/// The elements that Markdown has.
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

/// An address of another site in a link of a listing. An accepted address reads back the same.
pub fn address(text: &str) {
    if let Ok(url) = address::read(text) {
        assert_eq!(address::read(&url), Ok(url));
    }
}

/// A line of the header in which proxies name the client, as each of the two headers.
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

/// The cursor of a list. The key of an accepted cursor reads back the same.
pub fn cursor(text: &str) {
    let binding = Binding::new("games", []);
    if let Some(key) = binding.decode::<(SortTime, String)>(text) {
        let again = binding.encode(&key).unwrap();
        assert_eq!(binding.decode(&again), Some(key));
    }
}

/// An entity of the listings feed, in protobuf, as each kind. An accepted entity has the id of its row.
pub fn feed_row(encoded: &[u8]) {
    for kind in FEED_KINDS {
        if let Ok(Some(entity)) = FeedEntity::read(kind, ID, encoded, "https://mchezo.example") {
            assert_eq!(entity.id, ID);
        }
    }
}

/// A line of a file that staff import, as each kind of file. A refused line has a reason.
pub fn import_row(line: &str) {
    for kind in IMPORTED_KINDS {
        if let Some(row) = refused_row(kind, line) {
            assert!(!row.fields.is_empty());
        }
    }
}

/// The JSON body of a request.
pub fn json_body(body: &[u8]) {
    let _fields = json_object::parse(body);
}

/// A key of the API.
pub fn key(text: &str) {
    KeyFormat::new("svc_").parse(text);
}

/// The Markdown of an article and of a guide, below its title. The HTML has no element that Markdown does not have.
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

/// The query string of a request.
pub fn query(query: &str) {
    let mut params = Params::parse(Some(query));
    params.timestamp_or_now("at");
    params.page();
    params.text("q");
    let _bad = params.finish();
}

/// A time in a query or in a body. The year of an accepted time has four digits.
pub fn timestamp(text: &str) {
    if let Some(time) = timestamp::parse(text) {
        assert!((0..=9_999).contains(&time.year()));
    }
}
