//! A guide, as a page and as Markdown, and the start page of the documentation.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use pages::docs::{GuidePage, IndexPage};
use pages::site::share::Document;
use pages::site::{Frame, Head};

use super::{SUMMARY, TITLE, changelog, link, menu};
use crate::app::{App, Web};
use crate::guides::DocsPage;
use crate::page_error::{PageError, PageResult};
use crate::reference::Reference;
use crate::site::cached::{Version, respond, respond_file};
use crate::visit::Visit;

pub(super) const MARKDOWN: &str = "text/markdown; charset=utf-8";

pub async fn index(State(app): State<App>, Extension(visit): Extension<Visit>) -> PageResult {
    let visit = visit.in_english();
    let version = Version::new(&app, &visit);
    respond(&app, &visit, &version, |mut frame| {
        "/docs".clone_into(&mut frame.path);
        frame.head = Head {
            title: TITLE.to_owned(),
            description: SUMMARY.to_owned(),
            is_indexed: true,
        };
        Ok(IndexPage {
            frame,
            menu: menu(&app.guides, None, ""),
            api_url: app.api_url.clone(),
        })
    })
}

/// `/docs/{page}`, and with `.md` behind it the same as Markdown.
pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(name): Path<String>,
) -> PageResult {
    let (name, is_markdown) = match name.strip_suffix(".md") {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let page = app.guides.find(name).ok_or_else(PageError::not_found)?;
    let visit = visit.in_english();
    if is_markdown {
        let version = Version::new(&app, &visit);
        return respond_file(&visit, &version, MARKDOWN, || {
            Ok(Body::from(page.markdown.clone()))
        });
    }
    html(&app, &visit, page)
}

fn html(app: &Web, visit: &Visit, shown: &DocsPage) -> PageResult {
    let version = Version::new(app, visit);
    respond(app, visit, &version, |frame| {
        let neighbours = app.guides.neighbours(&shown.name);
        let mut page = page(app, frame, (shown, neighbours), None);
        if shown.name == changelog::PAGE {
            page.frame.share.documents.push(changelog::document());
        }
        Ok(page)
    })
}

/// A page of the documentation with the pages before and after it.
pub(super) fn page(
    web: &Web,
    mut frame: Frame,
    (shown, (previous, next)): (&DocsPage, (Option<&DocsPage>, Option<&DocsPage>)),
    reference: Option<&Reference>,
) -> GuidePage {
    let title = &shown.guide.title;
    // The page does not depend on the query.
    frame.path = shown.path();
    frame.head = Head {
        title: title.clone(),
        description: shown.guide.summary.clone(),
        is_indexed: true,
    };
    let markdown = format!("{}.md", shown.path());
    frame.share.documents = vec![Document {
        media_type: "text/markdown",
        title: title.clone(),
        href: markdown.clone(),
    }];
    GuidePage {
        frame,
        menu: menu(&web.guides, reference, &shown.name),
        title: title.clone(),
        contents: shown.guide.contents().cloned().collect(),
        body: shown.guide.html.clone(),
        markdown,
        try_it: None,
        previous: previous.map(link),
        next: next.map(link),
    }
}
