//! Games: the list, and the page of one.

use askama::Template;

use super::VisitorActions;
use super::amount::Amount;
use super::cards::GameCard;
use super::course::Course;
use crate::frame::Frame;
use crate::link::{Link, Picture};

#[derive(Debug, Template)]
#[template(path = "site/game.html")]
pub struct GamePage {
    pub frame: Frame,
    pub title: String,
    pub tagline: String,
    pub is_featured: bool,
    pub creator: Link,
    /// Its cover, or a drawing.
    pub cover: Picture,
    pub genres: Vec<Link>,
    pub platforms: Vec<Link>,
    pub stage: Link,
    pub release_year: i32,
    /// The city, if it is known, and the country.
    pub place: Vec<Link>,
    pub currency: Option<Currency>,
    /// Whether the currency cannot be read. The page says so of each part that cannot be read.
    pub is_currency_unavailable: bool,
    /// Where people can play or buy it.
    pub stores: Vec<Link>,
    pub ranks: Option<Vec<BoardRank>>,
    /// A video on another site, named by its host.
    pub trailer: Option<Link>,
    pub description: String,
    pub screenshots: Vec<Picture>,
    pub links: Vec<Link>,
    /// Whether the page of its creator has a website, so that this page need not ask for one.
    pub has_creator_site: bool,
    pub credits: Vec<Credit>,
    pub listed: String,
    /// Absent if it did not change after the day on which it was listed.
    pub updated: Option<String>,
    /// Other games of its creator, and the list of all if there are more.
    pub others: Option<Vec<GameCard>>,
    pub all_others: Option<String>,
    /// Other games of its genre, or of its country if it has no genre.
    pub similar: Option<Vec<GameCard>>,
    pub share: ShareCode,
    pub actions: VisitorActions,
}

/// The currency of a game.
#[derive(Debug, Clone)]
pub struct Currency {
    /// Its name and its page.
    pub link: Link,
    /// Whether its game has not reported for too long.
    pub is_late: bool,
    /// What a month of living costs in the game.
    pub cost: Amount,
    pub rate: Option<CurrencyRate>,
    pub is_rate_unavailable: bool,
}

/// What one unit of a currency buys of another.
#[derive(Debug, Clone)]
pub struct CurrencyRate {
    pub amount: Amount,
    pub course: Option<Course>,
    /// The other currency, and its page.
    pub to: Link,
}

/// The addresses that people share or follow.
#[derive(Debug, Clone)]
pub struct ShareCode {
    pub address: String,
    /// The feed of new games.
    pub feed: String,
    /// The calendar of events.
    pub calendar: String,
}

/// The rank of a listing on a board.
#[derive(Debug, Clone)]
pub struct BoardRank {
    pub board: String,
    pub rank: String,
    /// For example `12 wins`.
    pub wins: String,
    /// For example `won 60 % of its votes`.
    pub share: String,
    /// How the rank compares with the one before.
    pub moved: String,
}

/// A line of the credits.
#[derive(Debug, Clone)]
pub struct Credit {
    pub name: String,
    pub role: String,
    /// The person's page, if there is one.
    pub href: Option<String>,
}
