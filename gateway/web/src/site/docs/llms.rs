//! The documentation for language models (llmstxt.org): a list of the guides and the reference as Markdown, and all of them in one file.

use std::fmt::Write as _;

use axum::response::Response;

use super::SUMMARY;
use crate::app::Web;
use crate::docs::guides::Guides;
use crate::docs::reference::Reference;
use crate::site::response::{respond_file, respond_file_of_page};

/// Replaces a reference that cannot be read.
const REFERENCE_UNAVAILABLE: &str =
    "The reference is not available at the moment. Try again in a few seconds.";

const MEDIA_TYPE: &str = "text/plain; charset=utf-8";

pub(super) fn index(app: &Web, guides: &Guides, reference: Option<&Reference>) -> Response {
    let site = &app.public_url;
    let mut text = format!("# Mchezo\n\n> {SUMMARY}\n\n");
    // Writing to a string does not fail.
    writeln!(text, "The base address of the API is {}.", app.api_url).ok();
    let mut group = "";
    let operations = reference.into_iter().flat_map(Reference::all);
    for page in guides.pages.iter().chain(operations) {
        if page.group != group {
            group = &page.group;
            writeln!(text, "\n## {group}\n").ok();
        }
        let (title, summary) = (&page.guide.title, &page.guide.summary);
        writeln!(text, "- [{title}]({site}{}.md): {summary}", page.path()).ok();
    }
    if reference.is_none() {
        writeln!(text, "\n{REFERENCE_UNAVAILABLE}").ok();
    }
    writeln!(text, "\n## Optional\n\n- [All guides in one file]({site}/llms-full.txt)").ok();
    respond_file(MEDIA_TYPE, text)
}

pub(super) fn full(guides: &Guides, reference: Option<&Reference>) -> Response {
    let operations = reference.into_iter().flat_map(Reference::all);
    let pages = guides.pages.iter().chain(operations);
    let texts = pages.map(|page| page.markdown.as_str());
    let notice = reference.is_none().then_some(REFERENCE_UNAVAILABLE);
    let texts = texts.chain(notice);
    respond_file_of_page(MEDIA_TYPE, texts.collect::<Vec<_>>().join("\n"))
}
