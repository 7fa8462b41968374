//! The start page.

use askama::Template;

use super::card::{EventCard, GameCard};
use super::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "site/start.html")]
pub struct StartPage {
    pub frame: Frame,
    /// A sentence about what was just done.
    pub notice: Option<String>,
    pub games: Vec<GameCard>,
    pub events: Vec<EventCard>,
    pub api_url: String,
}
