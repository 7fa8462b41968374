//! Creators: the list, and the page of one.

use askama::Template;

use super::VisitorActions;
use super::cards::GameCard;
use super::games::BoardRank;
use crate::frame::Frame;
use crate::link::{Link, Picture};

#[derive(Debug, Template)]
#[template(path = "site/creator.html")]
pub struct CreatorPage {
    pub frame: Frame,
    pub name: String,
    pub kind: String,
    pub tagline: String,
    pub is_verified: bool,
    /// Its picture, or a drawing.
    pub avatar: Picture,
    pub roles: Vec<String>,
    pub place: Vec<Link>,
    pub bio: String,
    pub links: Vec<Link>,
    /// Whether the page asks its creator for links, because it has none.
    pub asks_for_links: bool,
    /// The first games, and the number of all.
    pub games: Vec<GameCard>,
    pub games_total: u64,
    /// The list of all games, if not all are here.
    pub all_games: Option<String>,
    /// Absent while they cannot be read.
    pub ranks: Option<Vec<BoardRank>>,
    /// The address to share.
    pub share: String,
    pub actions: VisitorActions,
}
