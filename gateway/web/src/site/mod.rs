//! The public site: pages of listings, lists and search, as players, press and crawlers see them.
//!
//! A handler reads the content of its page, then [`cached::respond`] answers 304 or renders the page.

pub mod article;
pub mod boards;
pub(crate) mod cached;
pub mod calendar;
mod cards;
mod correction_mail;
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
pub mod note;
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
use contracts::public;
use kit::Fault;
use pages::site::Frame;
use pages::site::notes::VisitorActions;

use crate::app::Web;
use crate::domain::listing_kind::ListingKind;

/// Rows of a list.
const ROWS: u32 = 24;
/// The first rows of a list, on a page about something else.
const FEW: u32 = 6;

/// The title of a public listing.
async fn listing_title(app: &Web, kind: ListingKind, name: &str) -> Result<String, Fault> {
    let catalogue = &app.catalogue;
    Ok(match kind {
        ListingKind::Game => {
            catalogue
                .game(name)
                .await?
                .parse::<public::Game>()?
                .row
                .title
        }
        ListingKind::Event => catalogue.event(name).await?.parse::<public::Event>()?.title,
        ListingKind::Page => {
            let creator: public::Creator = catalogue.creator(name).await?.parse()?;
            creator.row.name
        }
    })
}

/// The links with which a visitor can report or correct a listing.
fn visitor_actions(frame: &Frame, kind: ListingKind, name: &str) -> VisitorActions {
    let listing = format!("{}/{name}", kind.as_str());
    VisitorActions {
        claim: (kind == ListingKind::Page).then(|| frame.href(&format!("/claim/{name}"))),
        correct: frame.href(&format!("/correct/{listing}")),
        report: frame.href(&format!("/report/{listing}")),
        takedown: format!("/takedown/{listing}?language={}", frame.lang()),
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
