//! Every guide, and the reference, on one page.

use http::{HeaderMap, Uri};
use pages::Head;
use pages::docs::AllPage;

use super::{SUMMARY, TITLE};
use crate::app::Web;
use crate::docs::guides::Guides;
use crate::docs::reference::Reference;
use crate::page_error::PageResult;
use crate::site::response::respond;
use crate::visit::Visit;

pub(super) fn page(app: &Web, guides: &Guides, reference: Option<&Reference>) -> PageResult {
    let visit = Visit::from_request(&Uri::from_static("/docs/all"), &HeaderMap::new());
    respond(app, &visit.in_english(), |mut frame| {
        // Search engines have each guide by itself.
        frame.head = Head::new(TITLE, SUMMARY).unindexed();
        let operations = reference.into_iter().flat_map(Reference::all);
        let pages = guides.pages.iter().chain(operations).map(|page| {
            let title = page.guide.title.clone();
            (title, page.id(), page.html_among_others.clone())
        });
        Ok(AllPage { guides: pages.collect(), has_reference: reference.is_some(), frame })
    })
}
