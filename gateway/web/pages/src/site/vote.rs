//! The page where people vote.

use askama::Template;

use crate::frame::Frame;
use crate::link::{Link, Picture, Tab};

#[derive(Debug, Template)]
#[template(path = "site/vote.html")]
pub struct BallotPage {
    pub frame: Frame,
    /// What to vote on.
    pub tabs: Vec<Tab>,
    /// A sentence about the last vote.
    pub notice: Option<String>,
    /// Why the last vote was not counted.
    pub refusal: Option<String>,
    /// Why there is no pair, and what to do.
    pub problem: Option<String>,
    pub pair: Option<Pair>,
    /// The name of the account that votes; without one, a cookie does.
    pub account: Option<String>,
    pub sign_in: String,
    pub board: Link,
}

/// Two listings to choose from.
#[derive(Debug)]
pub struct Pair {
    pub path: String,
    pub draw: String,
    pub candidates: [Candidate; 2],
}

#[derive(Debug)]
pub struct Candidate {
    /// The value of its button: `first` or `second`; that is also the field with its name.
    pub pick: &'static str,
    /// The name in its address.
    pub slug: String,
    pub link: Link,
    pub tagline: String,
    pub country: String,
    /// Its picture, or a drawing.
    pub picture: Picture,
    /// The key that votes for it, as scripts name it.
    pub key: &'static str,
}
