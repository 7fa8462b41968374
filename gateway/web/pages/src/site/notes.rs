//! Notes of visitors about listings: the forms, and the links to them on the page of a listing.

use askama::Template;

use super::cards::Link;
use super::frame::Frame;
use crate::field::Field;
use crate::input::{Area, Select};

/// What a visitor can do about a listing.
#[derive(Debug, Clone)]
pub struct VisitorActions {
    /// Of the page of a creator.
    pub claim: Option<String>,
    pub correct: String,
    pub report: String,
    pub takedown: String,
}

/// The form of a correction or a report.
#[derive(Debug, Template)]
#[template(path = "site/note.html")]
pub struct NotePage {
    pub frame: Frame,
    /// The key of a text around the title of the listing.
    pub heading: &'static str,
    pub lead: String,
    /// Where the form is sent to.
    pub action: String,
    /// The random id of the form.
    pub form: String,
    /// Of a report.
    pub reason: Option<Select>,
    pub text: Area,
    pub email: Field,
    /// Why the form was refused.
    pub problem: Option<String>,
    /// The page of the listing, and its title.
    pub listing: Link,
    /// Where an owner asks for a takedown.
    pub owner: Option<String>,
}

/// The page after a note was sent.
#[derive(Debug, Template)]
#[template(path = "site/note_sent.html")]
pub struct NoteSentPage {
    pub frame: Frame,
    /// The key of a text around the title of the listing.
    pub heading: &'static str,
    pub text: String,
    pub listing: Link,
}
