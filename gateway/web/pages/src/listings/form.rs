//! Forms of listings: a new one, and a change.

use askama::Template;

use crate::field::Fields;
use crate::form::Part;
use crate::frame::Frame;

/// The form of a new listing, or of a change.
#[derive(Debug, Template)]
#[template(path = "listing/form.html")]
pub struct ListingFormPage {
    pub frame: Frame,
    pub errors: Fields,
    /// The key of the heading.
    pub heading: &'static str,
    /// The title of the listing, which stands in the heading; empty for a new one.
    pub title: String,
    pub text: &'static str,
    /// How many writes of the day are left; may be empty.
    pub note: String,
    pub action: String,
    /// Names and values of hidden fields.
    pub hidden: Vec<(String, String)>,
    pub parts: Vec<Part>,
    pub button: &'static str,
    pub back: String,
}

impl ListingFormPage {
    fn page_title(&self) -> String {
        if self.title.is_empty() {
            return self.frame.say(self.heading).to_owned();
        }
        self.frame.say_of(self.heading, &self.title)
    }
}

/// Stands in place of the form of a game while the account has no page to which a game could belong.
#[derive(Debug, Template)]
#[template(path = "listing/page_first.html")]
pub struct PageFirstPage {
    pub frame: Frame,
    pub account: String,
    /// The path of the account's listings.
    pub list: String,
}
