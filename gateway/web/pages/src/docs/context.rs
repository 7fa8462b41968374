//! The pages of the documentation.

use askama::Template;

use super::guide::Section;
use crate::frame::Frame;
use crate::link::Link;

/// The navigation beside every page of the documentation.
#[derive(Debug, Default, Clone)]
pub struct Menu {
    pub groups: Vec<MenuGroup>,
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
    /// Whether values of settings could not be read.
    pub lacks_settings: bool,
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

/// Every guide on one page, for printing and for reading without a connection.
#[derive(Debug, Template)]
#[template(path = "docs/all.html")]
pub struct AllPage {
    pub frame: Frame,
    /// Title, id and HTML of each guide.
    pub guides: Vec<(String, String, String)>,
    /// Whether the reference could be read.
    pub has_reference: bool,
}
