//! A guide, as a page and as Markdown, and the start page of the documentation.

use axum::extract::Path;
use pages::docs::{GuidePage, IndexPage};
use pages::share::Document;
use pages::{Frame, Head};

use super::{SUMMARY, TITLE, link, menu};
use crate::docs::guides::{AdjacentPages, DocsPage, Guides};
use crate::docs::reference::Reference;
use crate::page_error::{PageError, PageResult};
use crate::site::public_request::PublicRequest;
use crate::site::response::{respond, respond_file_of_page};

pub(super) const MARKDOWN: &str = "text/markdown; charset=utf-8";

pub async fn index(PublicRequest { app, visit, .. }: PublicRequest) -> PageResult {
    let guides = app.docs.guides();
    respond(&app, &visit.in_english(), |mut frame| {
        frame.head = Head::new(TITLE, SUMMARY);
        Ok(IndexPage { frame, menu: menu(&guides, None, ""), api_url: app.api_url.clone() })
    })
}

/// `/docs/{page}`, and `/docs/{page}.md` for the same as Markdown.
pub async fn show(
    PublicRequest { app, visit, .. }: PublicRequest,
    Path(name): Path<String>,
) -> PageResult {
    let (name, is_markdown) = page_name(&name);
    let guides = app.docs.guides();
    let page = guides.find(name).ok_or_else(PageError::not_found)?;
    if is_markdown {
        return Ok(respond_file_of_page(MARKDOWN, page.markdown.clone()));
    }
    respond(&app, &visit.in_english(), |frame| {
        let adjacent = AdjacentPages::new(&page.name, &guides.pages);
        Ok(self::page(&guides, frame, page, &adjacent, None))
    })
}

/// The name of a page, and whether the path asks for it as Markdown.
pub(super) fn page_name(path: &str) -> (&str, bool) {
    path.strip_suffix(".md").map_or((path, false), |name| (name, true))
}

/// A page of the documentation with the pages before and after it.
pub(super) fn page(
    guides: &Guides,
    mut frame: Frame,
    shown: &DocsPage,
    adjacent: &AdjacentPages<'_>,
    reference: Option<&Reference>,
) -> GuidePage {
    let title = &shown.guide.title;
    frame.path = shown.path();
    frame.head =
        Head::new(title.clone(), shown.guide.summary.clone()).indexed_if(!shown.lacks_settings);
    let markdown = format!("{}.md", shown.path());
    frame.share.documents = vec![Document {
        media_type: "text/markdown",
        title: title.clone(),
        href: markdown.clone(),
    }];
    GuidePage {
        frame,
        menu: menu(guides, reference, &shown.name),
        title: title.clone(),
        contents: shown.guide.contents().cloned().collect(),
        body: shown.guide.html.clone(),
        markdown,
        lacks_settings: shown.lacks_settings,
        previous: adjacent.previous.map(link),
        next: adjacent.next.map(link),
    }
}
