//! Pictures of a listing.

use askama::Template;

use crate::field::{Field, Fields};
use crate::shell::Shell;

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

/// A picture of which a listing has one: the cover of a game or the avatar of a page.
#[derive(Debug)]
pub struct SinglePicture {
    /// `cover` or `avatar`.
    pub kind: &'static str,
    pub heading: &'static str,
    pub text: &'static str,
    pub image: Option<Image>,
}

#[derive(Debug)]
pub struct ScreenshotRow {
    pub image: Image,
    /// From 1.
    pub place: usize,
    pub error: Option<String>,
}

#[derive(Debug, Template)]
#[template(path = "listing/pictures.html")]
pub struct GalleryPage {
    pub shell: Shell,
    pub errors: Fields,
    /// `/accounts/…/listings/game/…`.
    pub base: String,
    pub title: String,
    pub single: SinglePicture,
    /// `None`: pages have no screenshots.
    pub screenshots: Option<Vec<ScreenshotRow>>,
    pub may_edit: bool,
    pub closed: Option<&'static str>,
    /// The texts and places are those of a form that was refused.
    pub is_typed: bool,
    /// What a change of the pictures does; empty for a pending listing.
    pub note: String,
}

impl GalleryPage {
    fn is_open(&self) -> bool {
        self.may_edit && self.closed.is_none()
    }

    /// A form that was refused because everything is closed is shown again, so that what was typed is not lost.
    fn has_texts(&self) -> bool {
        self.is_open() || self.is_typed
    }
}

/// A prepared picture with its crop, before the listing has it.
#[derive(Debug, Template)]
#[template(path = "listing/crop.html")]
pub struct CropPage {
    pub shell: Shell,
    pub errors: Fields,
    pub base: String,
    /// `cover`, `avatar` or `screenshot`.
    pub kind: &'static str,
    pub heading: String,
    pub id: String,
    pub image: Image,
    pub crop: Crop,
    /// What a change of the pictures does; empty for a pending listing.
    pub note: String,
    /// Of a screenshot: alternative text and place.
    pub screenshot: Option<(Field, Field)>,
}

/// The part of a file that a picture shows, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crop {
    pub file: (u32, u32),
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Crop {
    /// What is cut off, in words.
    pub fn text(&self) -> String {
        let (width, height) = self.file;
        let sides = width.saturating_sub(self.width);
        let ends = height.saturating_sub(self.height);
        let file = format!("Your file has {width} × {height} pixels.");
        match (sides, ends) {
            (0, 0) => format!("{file} All of it is shown."),
            (cut, 0) => format!(
                "{file} {cut} of the width are cut off, half of that at each side: the bright part is shown."
            ),
            (0, cut) => format!(
                "{file} {cut} of the height are cut off, half of that at the top and at the bottom: the bright part is shown."
            ),
            _ => format!("{file} The bright part is shown."),
        }
    }

    fn is_whole(&self) -> bool {
        (self.width, self.height) == self.file
    }
}
