//! Lists with filters.

use askama::Template;

use super::cards::{CreatorCard, EventCard, GameCard};
use crate::field::Choice;
use crate::frame::Frame;

/// The page of a list.
#[derive(Debug, Template)]
#[template(path = "site/list.html")]
pub struct FilteredPage {
    pub frame: Frame,
    pub filters: Filters,
    pub rows: Rows,
    /// How many rows the list has, in words.
    pub count: String,
    pub pager: Pager,
}

#[derive(Debug)]
pub enum Rows {
    Games(Vec<GameCard>),
    Creators(Vec<CreatorCard>),
    Events(Vec<EventCard>),
}

impl Rows {
    fn is_empty(&self) -> bool {
        match self {
            Self::Games(rows) => rows.is_empty(),
            Self::Creators(rows) => rows.is_empty(),
            Self::Events(rows) => rows.is_empty(),
        }
    }
}

/// A filter of a list, as a choice.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The parameter of the address.
    pub name: &'static str,
    pub label: String,
    pub options: Vec<Choice>,
}

/// The form of the filters of a list.
#[derive(Debug, Clone)]
pub struct Filters {
    /// The path of the list.
    pub action: String,
    pub choices: Vec<Filter>,
    /// Parameters that no choice changes.
    pub hidden: Vec<(&'static str, String)>,
    /// Whether one is set.
    pub is_filtered: bool,
}

/// The ways to other pages of a list.
#[derive(Debug, Default, Clone)]
pub struct Pager {
    /// Absent on the first page.
    pub first: Option<String>,
    /// Absent on the last page.
    pub next: Option<String>,
}
