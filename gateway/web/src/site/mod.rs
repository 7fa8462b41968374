//! The public site, for players, press and crawlers.
//!
//! A handler reads the content of its page, and [`response::respond`] renders it.

pub mod articles;
pub mod boards;
pub mod calendar;
mod cards;
pub mod creators;
pub mod docs;
pub mod drawn;
pub mod economy;
pub mod events;
pub mod feeds;
mod filters;
pub mod games;
pub mod picture;
pub mod places;
pub mod public_request;
pub(crate) mod response;
pub mod robots;
pub mod search;
pub mod sitemap;
pub mod start;
mod structured_data;
pub mod vote;
mod voter;
mod voter_cookie;
mod xml;

use contracts::catalogue::v1 as proto;
use kit::{Code, Fault};
use pages::site::VisitorActions;
use pages::site::articles::ArticlePage;
use pages::{Frame, Head};
use time::{Date, UtcOffset};

use self::response::respond;
use crate::app::Web;
use crate::domain::listing_kind::ListingKind;
use crate::domain::percent::encoded;
use crate::page_error::PageResult;
use crate::visit::Visit;

/// Rows of a list.
const ROWS: u32 = 24;
/// Rows of a list on the page of a place.
const FEW: u32 = 6;

/// Test keys read sample listings, whose names begin with `sample-`. The page at such an address says that it is a sample.
fn or_sample(app: &Web, visit: &Visit, name: &str, fault: Fault) -> PageResult {
    if fault.code != Code::NotFound || !name.starts_with("sample-") {
        return Err(fault.into());
    }
    respond(app, visit, |mut frame| {
        frame.head = Head::new(frame.say("sample-title"), frame.say("sample-notice")).unindexed();
        // Neither text has HTML in it.
        let (title, notice) = (frame.say("sample-title"), frame.say("sample-notice"));
        Ok(ArticlePage { body: format!("<h1>{title}</h1>\n<p>{notice}</p>"), frame })
    })
}

/// What a visitor can do about a listing.
fn visitor_actions(app: &Web, frame: &Frame, kind: ListingKind, name: &str) -> VisitorActions {
    let staff = app.staff_mail.as_deref();
    VisitorActions {
        claim: (kind == ListingKind::Page).then(|| frame.href(&format!("/claim/{name}"))),
        write: staff.map(|staff| format!("mailto:{staff}?subject={}", encoded(&frame.canonical()))),
    }
}

/// The day of a page, in UTC.
fn today(app: &Web) -> Date {
    app.clock.now().to_offset(UtcOffset::UTC).date()
}

/// The first upcoming events.
fn next_events(limit: u32) -> proto::ListEventsRequest {
    proto::ListEventsRequest {
        page: Some(crate::upstream::catalogue::page(limit, None)),
        when: Some("upcoming".to_owned()),
        ..proto::ListEventsRequest::default()
    }
}
