//! The reference: a page for each operation and webhook, as HTML and as Markdown.

use super::guide::{MARKDOWN, page, page_name};
use crate::docs::guides::AdjacentPages;
use crate::page_error::{PageError, PageResult};
use crate::site::public_request::PublicRequest;
use crate::site::response::{respond, respond_file_of_page};

/// The keys of title and text of a page while no reference can be read.
const UNAVAILABLE: &(&str, &str) = &("error-unavailable-title", "error-reference");

/// A page by the part of its path after `/docs/`, or the same as Markdown if the path ends with `.md`.
pub async fn show(PublicRequest { app, visit, .. }: PublicRequest) -> PageResult {
    let reference =
        app.docs.reference().map_err(|fault| PageError::from(fault).with_keys(UNAVAILABLE))?;
    let name = visit.path.strip_prefix("/docs/").unwrap_or_default();
    let (name, is_markdown) = page_name(name);
    let shown = reference.find(name).ok_or_else(PageError::not_found)?;
    if is_markdown {
        return Ok(respond_file_of_page(MARKDOWN, shown.markdown.clone()));
    }
    let guides = app.docs.guides();
    respond(&app, &visit.in_english(), |frame| {
        let adjacent = AdjacentPages::new(&shown.name, reference.all());
        let reference = Some(&*reference);
        Ok(page(&guides, frame, shown, &adjacent, reference))
    })
}
