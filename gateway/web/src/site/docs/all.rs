//! Every guide, and the reference, on one page.

use pages::Head;
use pages::docs::AllPage;

use super::{SUMMARY, TITLE};
use crate::page_error::PageResult;
use crate::site::public_request::PublicRequest;
use crate::site::response::respond;

pub async fn show(PublicRequest { app, visit, .. }: PublicRequest) -> PageResult {
    let reference = app.docs.reference().ok();
    let guides = app.docs.guides();
    respond(&app, &visit.in_english(), |mut frame| {
        // Search engines have each guide by itself.
        frame.head = Head::new(TITLE, SUMMARY).unindexed();
        let operations = reference.iter().flat_map(|reference| reference.all());
        let pages = guides.pages.iter().chain(operations).map(|page| {
            let title = page.guide.title.clone();
            (title, page.id(), page.html_among_others.clone())
        });
        Ok(AllPage { guides: pages.collect(), has_reference: reference.is_some(), frame })
    })
}
