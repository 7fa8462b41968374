//! The economy of an account's games: currencies, reports and rates.

use askama::Template;

use crate::field::{Field, Fields};
use crate::listings::StateText;
use crate::plot::Plot;
use crate::shell::Shell;

/// The games of an account with their currencies.
#[derive(Debug, Template)]
#[template(path = "economy/list.html")]
pub struct GamesPage {
    pub shell: Shell,
    pub account: String,
    pub games: Vec<GameRow>,
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
    pub shell: Shell,
    pub errors: Fields,
    pub account: String,
    pub slug: String,
    pub title: String,
    pub is_public: bool,
    pub names: Vec<NameRow>,
    /// `None`: the viewer may not name it.
    pub name: Option<Field>,
    pub closed: Option<&'static str>,
    pub reports: Vec<ReportRow>,
    /// The address of earlier reports.
    pub earlier: Option<String>,
    pub rates: Rates,
}

impl CurrencyPage {
    fn has_currency(&self) -> bool {
        !self.names.is_empty()
    }
}

#[derive(Debug)]
pub struct NameRow {
    pub name: String,
    pub since: String,
    /// `this account` or `staff`.
    pub by: &'static str,
}

#[derive(Debug)]
pub struct ReportRow {
    pub at: String,
    pub state: StateText,
    /// Why it is or was held, and why staff rejected it.
    pub notes: Vec<String>,
    pub cost: String,
    pub supply: String,
    pub output: String,
    pub players: String,
}

/// The rates from a game's currency.
#[derive(Debug, Default)]
pub struct Rates {
    /// Why there are none.
    pub problem: Option<String>,
    pub rows: Vec<RateRow>,
    pub series: Option<Series>,
}

#[derive(Debug)]
pub struct RateRow {
    pub slug: String,
    pub currency: String,
    pub rate: String,
    pub source: String,
    pub at: String,
    pub day_change: String,
    /// Whether the plot shows it.
    pub is_shown: bool,
}

/// The rate to one currency over time.
#[derive(Debug)]
pub struct Series {
    pub heading: String,
    pub plot: Option<Plot>,
    /// Time, rate and source; newest first.
    pub rows: Vec<(String, String, String)>,
    /// The API call that gives one of the figures.
    pub call: String,
}
