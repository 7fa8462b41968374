//! The page of a game that other sites show in a frame, and its errors.

use askama::Template;

use super::cards::{Link, Picture};
use super::frame::Frame;

#[derive(Debug, Template)]
#[template(path = "site/embed.html")]
pub struct Embed {
    pub frame: Frame,
    pub title: String,
    /// The page of the game, which a click opens beside the other site.
    pub address: String,
    pub tagline: String,
    pub cover: Picture,
    pub creator: Link,
    /// For example `Puzzle · Android · 2023`.
    pub facts: String,
}

/// An error in the place of the game.
#[derive(Debug, Template)]
#[template(path = "site/embed_error.html")]
pub struct FrameError {
    pub frame: Frame,
    pub text: String,
    /// The id under which the request is in the log.
    pub request_id: String,
}
