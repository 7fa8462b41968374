//! The boards.

use askama::Template;

use super::list::Pager;
use crate::frame::Frame;
use crate::link::{Link, Picture, Tab};

/// All boards with their first rows.
#[derive(Debug, Template)]
#[template(path = "site/boards.html")]
pub struct OverviewPage {
    pub frame: Frame,
    pub boards: Vec<Board>,
}

impl OverviewPage {
    /// Whether nobody has voted at all.
    fn is_empty(&self) -> bool {
        self.boards.iter().all(|board| board.rows.is_empty())
    }
}

#[derive(Debug)]
pub struct Board {
    pub link: Link,
    pub rows: Vec<BoardRow>,
    /// Whether the board of the shorter period has the same rows, so that they are not shown again.
    pub is_repeated: bool,
}

impl Board {
    /// Whether its listings and their votes are those of these rows.
    pub fn has_same_rows(&self, rows: &[BoardRow]) -> bool {
        let is_same = |(one, other): (&BoardRow, &BoardRow)| {
            one.link.href == other.link.href && one.wins == other.wins && one.share == other.share
        };
        self.rows.len() == rows.len() && self.rows.iter().zip(rows).all(is_same)
    }
}

/// One board.
#[derive(Debug, Template)]
#[template(path = "site/board.html")]
pub struct BoardPage {
    pub frame: Frame,
    /// The same board of the other kind of listings.
    pub kinds: Vec<Tab>,
    /// The other boards of this kind.
    pub windows: Vec<Tab>,
    /// Where people vote on its listings.
    pub vote: String,
    /// For example `25 games`, on all pages of the board.
    pub count: String,
    pub rows: Vec<BoardRow>,
    pub pager: Pager,
}

#[derive(Debug)]
pub struct BoardRow {
    pub rank: String,
    pub link: Link,
    /// Its picture, or a drawing.
    pub picture: Picture,
    pub tagline: String,
    /// For example `Puzzle · Nigeria`.
    pub facts: String,
    pub wins: String,
    /// For example `won 60 % of its votes`.
    pub share: String,
    /// How the rank compares with the one before.
    pub moved: String,
    pub direction: Direction,
}

/// Where a listing moved on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
    Same,
    New,
}

impl Direction {
    /// `previous` is the rank before; 0 without one.
    pub fn of(rank: u64, previous: u64) -> Self {
        match previous {
            0 => Self::New,
            previous if previous > rank => Self::Up,
            previous if previous < rank => Self::Down,
            _ => Self::Same,
        }
    }

    /// Its class in the style.
    pub fn class(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Same => "same",
            Self::New => "new",
        }
    }
}
