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

/// The error of an embed, for programs that read XML.
#[derive(Debug, Template)]
#[template(path = "site/oembed_error.xml")]
pub struct OembedError {
    pub text: String,
    /// The id under which the request is in the log.
    pub request_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_error_is_no_markup() {
        let error = OembedError {
            text: "Use <json> & no \"xml\".".to_owned(),
            request_id: "req_1".to_owned(),
        };
        let xml = error.render().unwrap();
        assert!(xml.contains("Use &#60;json&#62; &#38; no"), "{xml}");
    }
}
