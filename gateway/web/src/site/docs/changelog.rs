//! The Atom feed of the changelog.

use pages::site::Head;
use pages::site::feed::{Entry, Feed};
use pages::site::share::Document;

use crate::docs::guides::Change;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::site::cached::respond_as;
use crate::site::request::SiteRequest;

/// The guide of which this is the feed.
pub(super) const PAGE: &str = "changelog";
const PATH: &str = "/docs/changelog";
const FEED: &str = "/docs/changelog/feed.xml";
const MEDIA_TYPE: &str = "application/atom+xml; charset=utf-8";

/// The link to the feed in the heads of pages.
pub(super) fn document() -> Document {
    Document {
        media_type: "application/atom+xml",
        title: "Changes of the API".to_owned(),
        href: FEED.to_owned(),
    }
}

pub async fn feed(SiteRequest { app, visit, .. }: SiteRequest) -> PageResult {
    let visit = visit.in_english();
    let guides = app.docs.guides(app.clock.now()).await;
    respond_as(&app, &visit, MEDIA_TYPE, |mut frame| {
        FEED.clone_into(&mut frame.path);
        frame.head = Head::new(
            "Changes of the API",
            "What is new in the API and its documentation.",
        )
        .unindexed();
        let changes = guides.changes.iter();
        let entries: Vec<Entry> = changes.map(|change| entry(&frame.site, change)).collect();
        Ok(ok(&Feed {
            page: frame.absolute(PATH),
            // The entries are sorted, newest first.
            updated: entries
                .first()
                .map(|entry| entry.updated.clone())
                .unwrap_or_default(),
            entries,
            frame,
        }))
    })
}

fn entry(site: &str, change: &Change) -> Entry {
    let address = format!("{site}{PATH}#{}", change.anchor);
    let at = format!("{}T00:00:00Z", change.day);
    Entry {
        id: address.clone(),
        href: address,
        title: change.title.clone(),
        summary: change.summary.clone(),
        author: None,
        content: None,
        published: at.clone(),
        updated: at,
    }
}
