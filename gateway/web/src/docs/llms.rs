//! The documentation for language models (llmstxt.org): a list of the guides and the reference as Markdown, and all of them in one file.

use std::fmt::Write as _;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;

use super::{SUMMARY, reference};
use crate::app::{App, Web};
use crate::page_error::PageResult;
use crate::reference::Reference;
use crate::site::cached::{Version, respond_file};
use crate::visit::Visit;

const MEDIA_TYPE: &str = "text/plain; charset=utf-8";

pub async fn index(State(app): State<App>, Extension(visit): Extension<Visit>) -> PageResult {
    let reference = reference::if_any(&app).await;
    let version = Version::new(&app, &visit.clone().in_english());
    let version = reference::with_version(version, reference.as_deref());
    respond_file(&visit, &version, MEDIA_TYPE, || {
        Ok(Body::from(index_text(&app, reference.as_deref())))
    })
}

fn index_text(web: &Web, reference: Option<&Reference>) -> String {
    let site = &web.public_url;
    let mut text = format!("# Mchezo\n\n> {SUMMARY}\n\n");
    // Writing to a string does not fail.
    writeln!(text, "The base address of the API is {}.", web.api_url).ok();
    let mut group = "";
    let operations = reference.into_iter().flat_map(Reference::all);
    for page in web.guides.pages.iter().chain(operations) {
        if page.group != group {
            group = &page.group;
            writeln!(text, "\n## {group}\n").ok();
        }
        let (title, summary) = (&page.guide.title, &page.guide.summary);
        writeln!(text, "- [{title}]({site}{}.md): {summary}", page.path()).ok();
    }
    writeln!(
        text,
        "\n## Optional\n\n- [All guides in one file]({site}/llms-full.txt)"
    )
    .ok();
    text
}

pub async fn full(State(app): State<App>, Extension(visit): Extension<Visit>) -> PageResult {
    let reference = reference::if_any(&app).await;
    let version = Version::new(&app, &visit.clone().in_english());
    let version = reference::with_version(version, reference.as_deref());
    respond_file(&visit, &version, MEDIA_TYPE, || {
        let operations = reference.iter().flat_map(|reference| reference.all());
        let pages = app.guides.pages.iter().chain(operations);
        let texts = pages.map(|page| page.markdown.as_str());
        Ok(Body::from(texts.collect::<Vec<_>>().join("\n")))
    })
}
