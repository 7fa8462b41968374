//! The economy of an account's games: currencies and reports.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::state::StateText;

/// The games of an account with their currencies.
#[derive(Debug, Template)]
#[template(path = "economy/list.html")]
pub struct GamesPage {
    pub frame: Frame,
    pub account: String,
    pub games: Vec<GameRow>,
    /// The URL of the page with the games after these.
    pub more: Option<String>,
    pub may_change: bool,
}

#[derive(Debug)]
pub struct GameRow {
    pub slug: String,
    pub title: String,
    /// `None`: no currency is registered.
    pub currency: Option<String>,
    pub is_public: bool,
}

/// The currency of one game.
#[derive(Debug, Template)]
#[template(path = "economy/game.html")]
pub struct CurrencyPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub slug: String,
    pub title: String,
    pub is_public: bool,
    /// `None`: no currency is registered.
    pub registered: Option<NameRow>,
    /// `None`: the viewer may not name it.
    pub name: Option<Field>,
    pub reports: Vec<ReportRow>,
    /// The address of earlier reports.
    pub earlier: Option<String>,
}

impl CurrencyPage {
    fn has_currency(&self) -> bool {
        self.registered.is_some()
    }
}

#[derive(Debug)]
pub struct NameRow {
    pub name: String,
    pub since: String,
    /// An owner or staff, in words.
    pub by: &'static str,
}

#[derive(Debug)]
pub struct ReportRow {
    pub at: String,
    pub state: StateText,
    /// Why it is or was held, and why staff rejected or retracted it.
    pub notes: Vec<String>,
    pub cost: String,
    pub supply: String,
    pub output: String,
    pub players: String,
}
