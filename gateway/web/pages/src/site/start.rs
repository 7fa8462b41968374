//! The start page.

use askama::Template;

use super::cards::{Chip, EventCard, GameCard};
use crate::frame::Frame;
use crate::link::Link;

#[derive(Debug, Template)]
#[template(path = "site/start.html")]
pub struct HomePage {
    pub frame: Frame,
    /// A sentence about what was just done.
    pub notice: Option<String>,
    /// The genres with the most games. This and other parts are absent while they cannot be read.
    pub genres: Option<Vec<Chip>>,
    /// How much there is, such as `91 games`.
    pub counts: Vec<Link>,
    /// Whether the numbers could be read.
    pub is_counted: bool,
    /// Those that became public in the last seven days.
    pub new_games: Option<Vec<GameCard>>,
    /// The games of the day.
    pub games: Option<Vec<GameCard>>,
    /// Two more, for an invitation to vote.
    pub pair: Vec<GameCard>,
    pub events: Option<Vec<EventCard>>,
    pub api_url: String,
}
