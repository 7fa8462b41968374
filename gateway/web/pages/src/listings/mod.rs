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

/// Who ended a listing, when and why.
#[derive(Debug, Clone)]
pub struct EndedText {
    /// Who did it, and when.
    pub sentence: String,
    /// What staff wrote; may be empty.
    pub reason: String,
    pub is_by_staff: bool,
}

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
    /// Who rejected, withdrew or took it down, while it is in such a state.
    pub ended: Option<EndedText>,
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
    /// The revision that the page shows, which its forms name.
    pub revision: i64,
    /// Whether it is taken down.
    pub is_removed: bool,
    /// As in [`ListingRow`].
    pub ended: Option<EndedText>,
    /// The rejection by staff before its account withdrew it.
    pub rejection: Option<EndedText>,
    /// As in [`ListingRow`].
    pub note: String,
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
    /// It is in review.
    pub may_withdraw: bool,
    /// Staff rejected it.
    pub may_put_away: bool,
    /// It is published.
    pub may_take_down: bool,
}
