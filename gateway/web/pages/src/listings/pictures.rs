//! Pictures of a listing.

use askama::Template;

use crate::field::Fields;
use crate::frame::Frame;

/// A picture that the site shows.
#[derive(Debug, Clone)]
pub struct Image {
    /// An address of this site; `None` for a picture on another site, which the page only names.
    pub src: Option<String>,
    /// The address as the listing has it.
    pub url: String,
    pub alt: String,
    pub width: u32,
    pub height: u32,
}

/// The cover of a game or the avatar of a page.
#[derive(Debug)]
pub struct SinglePicture {
    /// `cover` or `avatar`.
    pub kind: &'static str,
    pub heading: &'static str,
    /// The label of the field of a new file.
    pub text: &'static str,
    /// The text in place of a missing picture.
    pub none: &'static str,
    /// The labels of the buttons.
    pub upload: &'static str,
    pub remove: &'static str,
    pub image: Option<Image>,
}

#[derive(Debug)]
pub struct ScreenshotRow {
    pub image: Image,
    /// From 1.
    pub place: usize,
    pub error: Option<String>,
}

/// The screenshots of a game.
#[derive(Debug)]
pub struct Screenshots {
    pub rows: Vec<ScreenshotRow>,
    /// The hidden field with the screenshots as they were when the form was opened.
    pub base: String,
}

#[derive(Debug, Template)]
#[template(path = "listing/pictures.html")]
pub struct GalleryPage {
    pub frame: Frame,
    pub errors: Fields,
    /// `/accounts/…/listings/game/…`.
    pub base: String,
    pub title: String,
    pub single: SinglePicture,
    /// `None`: pages have no screenshots.
    pub screenshots: Option<Screenshots>,
    pub may_edit: bool,
    /// What a change of the pictures does; empty for a pending listing.
    pub note: String,
}

impl GalleryPage {
    /// A text about one of the screenshots, by its number.
    fn about(&self, key: &str, shot: &ScreenshotRow) -> String {
        self.frame.say_of(key, &shot.place.to_string())
    }
}
