//! A guide, as a page and as Markdown, and the start page of the documentation.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use pages::docs::{GuidePage, IndexPage};
use pages::site::Head;
use pages::site::share::Document;

use super::{SUMMARY, TITLE, changelog, link, menu};
use crate::app::{App, Web};
use crate::guides::DocsPage;
use crate::page_error::{PageError, PageResult};
use crate::site::cached::{Version, respond, respond_file};
use crate::visit::Visit;

const MARKDOWN: &str = "text/markdown; charset=utf-8";

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
            menu: menu(&app.guides, ""),
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

fn html(app: &Web, visit: &Visit, page: &DocsPage) -> PageResult {
    let version = Version::new(app, visit);
    respond(app, visit, &version, |mut frame| {
        // Whatever follows a `?`, the page is the same.
        frame.path = page.path();
        frame.head = Head {
            title: page.guide.title.clone(),
            description: page.guide.summary.clone(),
            is_indexed: true,
        };
        let markdown = format!("{}.md", page.path());
        frame.share.documents = vec![Document {
            media_type: "text/markdown",
            title: page.guide.title.clone(),
            href: markdown.clone(),
        }];
        if page.name == changelog::PAGE {
            frame.share.documents.push(changelog::document());
        }
        let (previous, next) = app.guides.neighbours(page.name);
        Ok(GuidePage {
            frame,
            menu: menu(&app.guides, page.name),
            title: page.guide.title.clone(),
            contents: page.guide.contents().cloned().collect(),
            body: page.guide.html.clone(),
            markdown,
            previous: previous.map(link),
            next: next.map(link),
        })
    })
}
