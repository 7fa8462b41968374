//! The feed of new games, in the Atom format (RFC 4287).

use askama::Template;

use crate::frame::Frame;
use crate::link::Link;

/// A feed. Its address and its language are those of the frame.
#[derive(Debug, Template)]
#[template(path = "site/feed.xml")]
pub struct Feed {
    pub frame: Frame,
    /// The page that shows the same.
    pub page: String,
    /// When the newest entry changed, as RFC 3339 writes it; so are the times of entries.
    pub updated: String,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub struct Entry {
    /// The address that the API gives out, which never changes.
    pub id: String,
    /// The page in the language of the feed.
    pub href: String,
    pub title: String,
    pub summary: String,
    pub author: Link,
    pub published: String,
    pub updated: String,
}
