//! Listings of an account: the list, one listing, its forms, its pictures, and claims.

pub mod claims;
pub mod form;
pub mod pictures;
#[cfg(test)]
mod tests;

use askama::Template;

use crate::field::Fields;
use crate::shell::{Sentence, Shell};

/// The state of a listing in words.
#[derive(Debug, Clone)]
pub struct StateText {
    pub text: &'static str,
    /// `good`, `bad`, or empty.
    pub tone: &'static str,
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
    /// Why it is rejected; may be empty.
    pub reason: String,
    /// Why the public does not see it; may be empty.
    pub note: Sentence,
    pub changed: String,
}

/// Everything that an account has listed.
#[derive(Debug, Template)]
#[template(path = "listing/list.html")]
pub struct AllListingsPage {
    pub shell: Shell,
    pub account: String,
    pub pages: Vec<ListingRow>,
    pub listings: Vec<ListingRow>,
    /// The address of the next page of the list.
    pub next: Option<String>,
    pub may_edit: bool,
    /// Why nothing can be submitted now.
    pub closed: Option<&'static str>,
}

/// A field and its value.
#[derive(Debug, Clone)]
pub struct Fact {
    pub label: String,
    pub text: String,
}

/// What became of a request for a takedown.
#[derive(Debug, Clone)]
pub struct TakedownText {
    pub text: String,
    /// What the account wrote.
    pub reason: String,
    /// What staff answered.
    pub answer: String,
}

/// An open correction that a visitor suggests.
#[derive(Debug, Clone)]
pub struct NoteRow {
    pub id: String,
    pub made: String,
    pub text: String,
    /// Of the visitor, for questions; may be empty.
    pub email: String,
}

/// One listing with its state.
#[derive(Debug, Template)]
#[template(path = "listing/show.html")]
pub struct ListingPage {
    pub shell: Shell,
    pub errors: Fields,
    pub account: String,
    /// `page`, `game` or `event`.
    pub kind: &'static str,
    pub name: String,
    pub title: String,
    pub state: StateText,
    /// Why staff rejected it; may be empty.
    pub reason: String,
    /// This account has withdrawn it.
    pub is_withdrawn: bool,
    /// As in [`ListingRow`].
    pub note: Sentence,
    /// Whether the note says that it only waits.
    pub is_waiting: bool,
    /// Its public address, if the public sees it.
    pub public_url: Option<String>,
    pub facts: Vec<Fact>,
    pub takedown: Option<TakedownText>,
    pub notes: Vec<NoteRow>,
    /// The number of all corrections, if there are more.
    pub notes_in_all: Option<u64>,
    pub actions: ListingActions,
}

/// What can be done with a listing now.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a button of the page"
)]
pub struct ListingActions {
    pub may_edit: bool,
    pub has_pictures: bool,
    /// A game without a cover, which can get one.
    pub lacks_cover: bool,
    pub may_withdraw: bool,
    pub may_ask_for_takedown: bool,
    pub may_close_notes: bool,
    /// Why nothing can be changed now.
    pub closed: Option<&'static str>,
}
