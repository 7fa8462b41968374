//! The page that shows the components of the site.

use pages::design::ComponentsPage;
use pages::site::Head;

use super::cached::respond;
use super::request::SiteRequest;
use crate::page_error::PageResult;

pub async fn show(SiteRequest { app, visit, .. }: SiteRequest) -> PageResult {
    let mut visit = visit.in_english();
    "/about/design".clone_into(&mut visit.path);
    respond(&app, &visit, |mut frame| {
        let text = "Every component that the pages are made of, drawn by the same templates.";
        frame.head = Head::new("How this site looks", text).unindexed();
        Ok(ComponentsPage::new(frame))
    })
}
