//! Lists with filters, and the start page.

use askama::Template;

use super::cards::{Chip, CreatorCard, EventCard, GameCard};
use crate::frame::Frame;
use crate::link::Link;

/// A filter of a list, as a choice.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The parameter of the address.
    pub name: &'static str,
    pub label: String,
    pub options: Vec<FilterOption>,
}

#[derive(Debug, Clone)]
pub struct FilterOption {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
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

/// The start page.
#[derive(Debug, Template)]
#[template(path = "site/start.html")]
pub struct StartPage {
    pub frame: Frame,
    /// A sentence about what was just done.
    pub notice: Option<String>,
    /// The genres with the most games. This and other parts are absent while they cannot be read.
    pub genres: Option<Vec<Chip>>,
    pub platforms: Vec<Chip>,
    /// How much there is, such as `91 games`.
    pub counts: Vec<Link>,
    /// Whether each number could be read.
    pub is_counted: bool,
    /// Those that became public in the last seven days.
    pub new_games: Option<Vec<GameCard>>,
    /// The games of the day.
    pub games: Vec<GameCard>,
    /// Two more, for an invitation to vote.
    pub pair: Vec<GameCard>,
    pub events: Option<Vec<EventCard>>,
    pub api_url: String,
}

#[derive(Debug, Template)]
#[template(path = "site/games.html")]
pub struct GamesPage {
    pub frame: Frame,
    pub filters: Filters,
    pub total: u64,
    pub games: Vec<GameCard>,
    pub pager: Pager,
}

#[derive(Debug, Template)]
#[template(path = "site/creators.html")]
pub struct CreatorsPage {
    pub frame: Frame,
    pub filters: Filters,
    pub total: u64,
    pub creators: Vec<CreatorCard>,
    pub pager: Pager,
}

#[derive(Debug, Template)]
#[template(path = "site/events.html")]
pub struct EventsPage {
    pub frame: Frame,
    pub filters: Filters,
    pub total: u64,
    pub events: Vec<EventCard>,
    pub pager: Pager,
}
