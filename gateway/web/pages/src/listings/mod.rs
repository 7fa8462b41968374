//! Listings of an account: the list, one listing, its forms, its pictures, and claims.

pub mod claims;
pub mod form;
pub mod pictures;
#[cfg(test)]
mod tests;

use askama::Template;

use crate::field::Fields;
use crate::frame::Frame;
use crate::state::StateText;

/// A listing in a list.
#[derive(Debug, Clone)]
pub struct ListingRow {
    pub href: String,
    pub title: String,
    /// The slug or the handle.
    pub name: String,
    /// A game or an event; of a page, a studio or a person.
    pub kind: String,
    pub state: StateText,
    /// Why it is rejected; may be empty.
    pub reason: String,
    /// Why the public does not see it; may be empty.
    pub note: String,
    pub changed: String,
}

/// Everything that an account has listed.
#[derive(Debug, Template)]
#[template(path = "listing/list.html")]
pub struct AllListingsPage {
    pub frame: Frame,
    pub account: String,
    pub pages: Vec<ListingRow>,
    pub listings: Vec<ListingRow>,
    /// The address of the next page of the list.
    pub next: Option<String>,
    pub may_edit: bool,
}

/// A field and its value.
#[derive(Debug, Clone)]
pub struct Fact {
    pub label: String,
    pub text: String,
}

/// One listing with its state.
#[derive(Debug, Template)]
#[template(path = "listing/show.html")]
pub struct ListingPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    /// `page`, `game` or `event`.
    pub kind: &'static str,
    pub name: String,
    pub title: String,
    pub state: StateText,
    /// Why staff rejected it or took it down, or that its account took it back; may be empty.
    pub reason: String,
    /// As in [`ListingRow`].
    pub note: String,
    /// Who has taken it down, and when; empty if it is not taken down.
    pub taken_down: String,
    /// Whom to ask for its restoration.
    pub staff_mail: Option<String>,
    /// Its public address, if the public sees it.
    pub public_url: Option<String>,
    pub facts: Vec<Fact>,
    pub actions: ListingActions,
}

/// What can be done with a listing now.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a button of the page")]
pub struct ListingActions {
    pub may_edit: bool,
    pub has_pictures: bool,
    /// A game without a cover, which can get one.
    pub lacks_cover: bool,
    pub may_take_down: bool,
}
