//! The page of a game.

use askama::Template;

use super::cards::{Link, Picture};
use super::frame::Frame;
use super::notes::VisitorActions;

#[derive(Debug, Template)]
#[template(path = "site/game.html")]
pub struct GamePage {
    pub frame: Frame,
    pub title: String,
    pub tagline: String,
    pub is_featured: bool,
    pub creator: Link,
    pub cover: Option<Picture>,
    pub genres: Vec<Link>,
    pub platforms: Vec<Link>,
    pub stage: Link,
    pub release_year: i32,
    /// The city, if it is known, and the country.
    pub place: Vec<Link>,
    pub currency: Option<Currency>,
    pub ranks: Vec<BoardRank>,
    pub trailer: Option<Trailer>,
    pub description: String,
    pub screenshots: Vec<Picture>,
    pub links: Vec<Link>,
    pub credits: Vec<Credit>,
    pub listed: String,
    pub updated: String,
    pub actions: VisitorActions,
}

/// The currency of a game.
#[derive(Debug, Clone)]
pub struct Currency {
    /// Its name and its page.
    pub link: Link,
    /// Whether its game has not reported for too long.
    pub is_late: bool,
}

/// A film on another site.
#[derive(Debug, Clone)]
pub struct Trailer {
    pub href: String,
    pub host: String,
}

/// Where a game stands on a board.
#[derive(Debug, Clone)]
pub struct BoardRank {
    pub board: String,
    pub rank: String,
    pub wins: String,
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
