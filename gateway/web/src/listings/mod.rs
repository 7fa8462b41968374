//! Listings of an account: pages, games and events, their pictures, and claims. Every page is an RPC of listings-svc.
//!
//! A picture: [`picture_target`] reads from the path which listing gets it, and as what. [`upload`] sends the file to listings-svc while
//! `crate::uploads` limits how many arrive at once. [`gallery`] is the page of all pictures; [`pictures`] removes and orders them, by the form
//! that [`arrangement`] reads. [`picture_file`] serves a file.

mod addresses;
mod arrangement;
mod changes;
mod choices;
pub mod claims;
mod conflict;
pub mod create;
pub mod edit;
mod ended;
pub mod entry;
mod facts;
mod fields;
mod form;
mod gallery;
pub mod list;
pub mod picture_file;
mod picture_target;
pub mod pictures;
pub mod show;
mod typed;
pub mod upload;
mod words;

pub use typed::TypedListing;

use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageError;
use crate::upstream::listings::ListingRef;

impl MemberRequest {
    /// The listing of the account that a path names.
    fn listing<'a>(&self, of_kind: &str, name: &'a str) -> Result<ListingRef<'a>, PageError> {
        Ok(ListingRef { account: self.scope.id, kind: kind(of_kind)?, name })
    }

    /// The path of a listing in the dashboard.
    fn listing_path(&self, kind: ListingKind, name: &str) -> String {
        self.path(&format!("/listings/{}/{name}", kind.as_str()))
    }
}

/// The kind of listing that a path names.
pub fn kind(text: &str) -> Result<ListingKind, PageError> {
    text.parse().map_err(|_unknown| PageError::not_found())
}
