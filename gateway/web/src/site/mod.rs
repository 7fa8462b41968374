//! The public site: pages of listings, lists and search, as players, press and crawlers see them.
//!
//! A handler reads what its page is made of, then [`cached::respond`] answers 304 or renders it.

pub mod article;
pub mod boards;
mod cached;
mod cards;
pub mod creators;
mod currency_pages;
pub mod economy;
pub mod events;
mod filters;
pub mod games;
pub mod picture;
pub mod places;
mod query;
pub mod search;
pub mod start;
pub mod vote;
mod voter;

use contracts::catalogue::v1 as proto;

/// Rows of a list.
const ROWS: u32 = 24;
/// The first rows of a list, on a page about something else.
const FEW: u32 = 6;

/// The first upcoming events.
fn next_events(limit: u32) -> proto::ListEventsRequest {
    proto::ListEventsRequest {
        page: Some(crate::upstream::catalogue::page(limit, None)),
        when: Some("upcoming".to_owned()),
        ..proto::ListEventsRequest::default()
    }
}
