//! The public site: pages of listings, lists and search, as players, press and crawlers see them.
//!
//! A handler reads the content of its page, then [`cached::respond`] answers 304 or renders the page.

pub mod article;
pub mod boards;
pub(crate) mod cached;
pub mod calendar;
mod cards;
pub mod creators;
mod currency_pages;
pub mod design;
pub mod docs;
pub mod drawn;
pub mod economy;
pub mod embed;
pub mod events;
pub mod feeds;
mod filters;
pub mod games;
pub mod oembed;
pub mod picture;
pub mod places;
pub(crate) mod query;
pub(crate) mod request;
pub mod robots;
pub mod search;
pub mod share_card;
pub mod sitemap;
pub mod start;
mod structured_data;
pub mod vote;
mod voter;
mod xml;

use contracts::catalogue::v1 as proto;
use pages::site::Frame;
use pages::site::actions::VisitorActions;

use crate::app::Web;
use crate::domain::listing_kind::ListingKind;
use crate::domain::percent::encoded;

/// Rows of a list.
const ROWS: u32 = 24;
/// The first rows of a list, on a page about something else.
const FEW: u32 = 6;

/// What a visitor can do about a listing.
fn visitor_actions(app: &Web, frame: &Frame, kind: ListingKind, name: &str) -> VisitorActions {
    let staff = app.staff_mail.as_deref();
    VisitorActions {
        claim: (kind == ListingKind::Page).then(|| frame.href(&format!("/claim/{name}"))),
        write: staff.map(|staff| format!("mailto:{staff}?subject={}", encoded(&frame.canonical()))),
    }
}

/// The first upcoming events.
fn next_events(limit: u32) -> proto::ListEventsRequest {
    proto::ListEventsRequest {
        page: Some(crate::upstream::catalogue::page(limit, None)),
        when: Some("upcoming".to_owned()),
        ..proto::ListEventsRequest::default()
    }
}
