//! The results of a search.

use askama::Template;

use super::list::Pager;
use crate::frame::Frame;
use crate::link::{Link, Picture};

#[derive(Debug, Template)]
#[template(path = "site/search.html")]
pub struct ResultPage {
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
    /// The number of its results, if it is known.
    pub count: Option<String>,
    pub is_current: bool,
}

#[derive(Debug)]
pub struct Row {
    /// The picture of a listing, or a drawing. A city has none.
    pub picture: Option<Picture>,
    pub link: Link,
    pub kind: String,
    pub tagline: String,
    /// When an event begins; else empty.
    pub days: String,
    pub place: String,
}
