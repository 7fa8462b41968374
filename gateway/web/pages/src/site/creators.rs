//! The page of a studio or a person.

use askama::Template;

use super::actions::VisitorActions;
use super::cards::{GameCard, Link, Picture};
use super::frame::Frame;
use super::games::ListingRanks;

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
    /// What it is asked for: links, if there are none.
    pub asks_for_links: bool,
    /// The first games, and the number of all.
    pub games: Vec<GameCard>,
    pub games_total: u64,
    /// The list of all games, if not all are here.
    pub all_games: Option<String>,
    pub listing_ranks: ListingRanks,
    /// The address for others; absent for a listing of the sample data.
    pub share: Option<String>,
    pub actions: VisitorActions,
}
