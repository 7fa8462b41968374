//! The documentation for language models (llmstxt.org): a list of the guides as Markdown, and all of them in one file.

use std::fmt::Write as _;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;

use super::SUMMARY;
use crate::app::{App, Web};
use crate::page_error::PageResult;
use crate::site::cached::{Version, respond_file};
use crate::visit::Visit;

const MEDIA_TYPE: &str = "text/plain; charset=utf-8";

pub async fn index(State(app): State<App>, Extension(visit): Extension<Visit>) -> PageResult {
    let version = Version::new(&app, &visit.clone().in_english());
    respond_file(&visit, &version, MEDIA_TYPE, || {
        Ok(Body::from(index_text(&app)))
    })
}

fn index_text(web: &Web) -> String {
    let site = &web.public_url;
    let mut text = format!("# Mchezo\n\n> {SUMMARY}\n\n");
    // Writing to a string does not fail.
    writeln!(text, "The base address of the API is {}.", web.api_url).ok();
    let mut group = "";
    for page in &web.guides.pages {
        if page.group != group {
            group = page.group;
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
    let version = Version::new(&app, &visit.clone().in_english());
    respond_file(&visit, &version, MEDIA_TYPE, || {
        let texts = app.guides.pages.iter().map(|page| page.markdown.as_str());
        Ok(Body::from(texts.collect::<Vec<_>>().join("\n")))
    })
}
