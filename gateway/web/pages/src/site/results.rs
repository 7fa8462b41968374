//! The results of a search.

use askama::Template;

use super::cards::Link;
use super::frame::Frame;
use super::list::Pager;

#[derive(Debug, Template)]
#[template(path = "site/search.html")]
pub struct SearchPage {
    pub frame: Frame,
    /// Absent while nothing is searched for.
    pub found: Option<Found>,
}

/// What was found.
#[derive(Debug)]
pub struct Found {
    /// The kinds of results to choose from.
    pub kinds: Vec<Kind>,
    pub total: u64,
    pub rows: Vec<Row>,
    /// Whether the results only resemble what was typed, and the nearest name with the search for it.
    pub is_similar: bool,
    pub did_you_mean: Option<Link>,
    pub pager: Pager,
}

#[derive(Debug)]
pub struct Kind {
    pub link: Link,
    pub is_current: bool,
}

#[derive(Debug)]
pub struct Row {
    pub link: Link,
    pub kind: String,
    pub tagline: String,
    pub place: String,
}
