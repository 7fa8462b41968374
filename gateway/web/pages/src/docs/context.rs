//! The pages of the documentation.

use askama::Template;

use super::guide::Section;
use crate::site::Frame;
use crate::site::cards::Link;

/// The navigation beside every page of the documentation.
#[derive(Debug, Default, Clone)]
pub struct Menu {
    pub groups: Vec<MenuGroup>,
    /// What stands in the field of the search.
    pub search: String,
}

#[derive(Debug, Clone)]
pub struct MenuGroup {
    pub title: String,
    pub links: Vec<MenuLink>,
}

#[derive(Debug, Clone)]
pub struct MenuLink {
    pub link: Link,
    pub is_current: bool,
    /// The first paragraph of the guide.
    pub summary: String,
}

/// A guide.
#[derive(Debug, Template)]
#[template(path = "docs/guide.html")]
pub struct GuidePage {
    pub frame: Frame,
    pub menu: Menu,
    pub title: String,
    pub contents: Vec<Section>,
    /// HTML that was made from Markdown, without any HTML of its author.
    pub body: String,
    /// The path of the same page as Markdown.
    pub markdown: String,
    pub previous: Option<Link>,
    pub next: Option<Link>,
}

/// The start page of the documentation.
#[derive(Debug, Template)]
#[template(path = "docs/index.html")]
pub struct IndexPage {
    pub frame: Frame,
    pub menu: Menu,
    pub api_url: String,
}

/// The search of the documentation. `hits` is `None` before anything is searched for.
#[derive(Debug, Template)]
#[template(path = "docs/search.html")]
pub struct SearchPage {
    pub frame: Frame,
    pub menu: Menu,
    pub hits: Option<Vec<Hit>>,
}

/// A section that matches a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub href: String,
    pub title: String,
    /// The title of its guide.
    pub guide: String,
    /// A sentence with a word of the search.
    pub excerpt: String,
}

/// Every guide on one page, for printing and for reading without a connection.
#[derive(Debug, Template)]
#[template(path = "docs/all.html")]
pub struct AllPage {
    pub frame: Frame,
    /// Title, id and HTML of each guide.
    pub guides: Vec<(String, String, String)>,
}
