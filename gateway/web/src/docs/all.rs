//! Every guide, and the reference, on one page.

use axum::Extension;
use axum::extract::State;
use pages::docs::AllPage;
use pages::site::Head;

use super::{SUMMARY, TITLE, reference};
use crate::app::App;
use crate::page_error::PageResult;
use crate::site::cached::{Version, respond};
use crate::visit::Visit;

pub async fn show(State(app): State<App>, Extension(visit): Extension<Visit>) -> PageResult {
    let visit = visit.in_english();
    let reference = reference::if_any(&app).await;
    let version = reference::with_version(Version::new(&app, &visit), reference.as_deref());
    respond(&app, &visit, &version, |mut frame| {
        "/docs/all".clone_into(&mut frame.path);
        frame.head = Head {
            title: TITLE.to_owned(),
            description: SUMMARY.to_owned(),
            // Search engines have each guide by itself.
            is_indexed: false,
        };
        let operations = reference.iter().flat_map(|reference| reference.all());
        let guides = app.guides.pages.iter().chain(operations).map(|page| {
            let title = page.guide.title.clone();
            (title, page.id(), page.html_among_others.clone())
        });
        Ok(AllPage {
            guides: guides.collect(),
            frame,
        })
    })
}
