//! The boards.

use askama::Template;

use super::cards::{Link, Tab};
use super::frame::Frame;
use super::list::Pager;

/// All boards with their first rows.
#[derive(Debug, Template)]
#[template(path = "site/boards.html")]
pub struct BoardsPage {
    pub frame: Frame,
    pub boards: Vec<Board>,
}

#[derive(Debug)]
pub struct Board {
    pub link: Link,
    pub rows: Vec<BoardRow>,
}

/// One board.
#[derive(Debug, Template)]
#[template(path = "site/board.html")]
pub struct BoardPage {
    pub frame: Frame,
    pub tabs: Vec<Tab>,
    /// Where people vote on its listings.
    pub vote: String,
    pub rows: Vec<BoardRow>,
    pub pager: Pager,
}

#[derive(Debug)]
pub struct BoardRow {
    pub rank: String,
    pub link: Link,
    pub tagline: String,
    /// For example `Puzzle · Nigeria`.
    pub facts: String,
    pub wins: String,
    /// How the rank compares with the one before.
    pub moved: String,
}
