//! The currencies of games and their rates.

use askama::Template;

use super::amount::Amount;
use super::course::Course;
use super::list::{Filters, Pager};
use crate::frame::Frame;
use crate::link::Link;

/// All currencies.
#[derive(Debug, Template)]
#[template(path = "site/economy.html")]
pub struct ListPage {
    pub frame: Frame,
    /// Chooses the currency whose rates are shown.
    pub choice: Filters,
    /// The currency whose rates the page shows, on the first page of the list.
    pub first: Option<FirstRates>,
    pub total: u64,
    pub currencies: Vec<CurrencyRow>,
    pub pager: Pager,
}

#[derive(Debug)]
pub struct CurrencyRow {
    /// The page of the currency.
    pub link: Link,
    pub game: Link,
    pub is_late: bool,
    pub reported: String,
}

/// The first rates from one currency.
#[derive(Debug)]
pub struct FirstRates {
    /// The page of the currency, which has all its rates.
    pub from: Link,
    /// Absent while they cannot be read.
    pub rates: Option<Vec<RateRow>>,
}

/// The currency of a game, with the rates from it.
#[derive(Debug, Template)]
#[template(path = "site/currency.html")]
pub struct CurrencyPage {
    pub frame: Frame,
    pub choice: Filters,
    pub game: Link,
    pub is_late: bool,
    /// The name of the currency.
    pub name: String,
    pub reported: String,
    pub figures: Vec<Figure>,
    pub rates: Vec<RateRow>,
    pub pager: Pager,
}

/// A figure of a currency.
#[derive(Debug)]
pub struct Figure {
    pub name: String,
    pub amount: Amount,
    /// What it counts, such as the currency or `%`; may be empty.
    pub unit: String,
}

/// What one unit buys of another currency.
#[derive(Debug)]
pub struct RateRow {
    /// The page of the other currency.
    pub link: Link,
    pub game: String,
    pub rate: Amount,
    pub source: String,
    pub at: String,
    /// In percent.
    pub day_change: Option<Amount>,
    pub course: Option<Course>,
}
