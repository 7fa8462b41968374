//! The reference: a page for each operation and webhook, as HTML and as Markdown.

use std::sync::Arc;

use axum::extract::Path;

use super::guide::{MARKDOWN, page};
use crate::app::{App, Web};
use crate::docs::guides::Neighbours;
use crate::docs::reference::{LIST, Reference};
use crate::page_error::{PageError, PageResult};
use crate::site::cached::{respond, respond_file};
use crate::site::request::SiteRequest;
use crate::visit::Visit;

/// The reference, if it can be read. Other pages of the documentation are shown without it.
pub(super) async fn if_any(web: &Web) -> Option<Arc<Reference>> {
    web.reference.get(web.clock.now()).await.ok()
}

/// `/docs/reference`
pub async fn list(SiteRequest { app, visit, .. }: SiteRequest) -> PageResult {
    show(&app, visit, LIST).await
}

/// `/docs/reference.md`
pub async fn list_as_markdown(SiteRequest { app, visit, .. }: SiteRequest) -> PageResult {
    show(&app, visit, &format!("{LIST}.md")).await
}

/// `/docs/reference/{operation}`, and with `.md` behind it the same as Markdown.
pub async fn operation(
    SiteRequest { app, visit, .. }: SiteRequest,
    Path(operation): Path<String>,
) -> PageResult {
    show(&app, visit, &format!("{LIST}/{operation}")).await
}

/// `/docs/reference/webhooks/{event}`, and with `.md` behind it the same as Markdown.
pub async fn webhook(
    SiteRequest { app, visit, .. }: SiteRequest,
    Path(event): Path<String>,
) -> PageResult {
    show(&app, visit, &format!("{LIST}/webhooks/{event}")).await
}

async fn show(app: &App, visit: Visit, name: &str) -> PageResult {
    let reference = app.reference.get(app.clock.now()).await?;
    let (name, is_markdown) = match name.strip_suffix(".md") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let shown = reference.find(name).ok_or_else(PageError::not_found)?;
    if is_markdown {
        return Ok(respond_file(MARKDOWN, shown.markdown.clone()));
    }
    respond(app, &visit.in_english(), |frame| {
        let neighbours = Neighbours::of(name, reference.all());
        let mut page = page(app, frame, shown, &neighbours, Some(&reference));
        let id = name.strip_prefix(LIST).and_then(|it| it.strip_prefix('/'));
        let operation = id.and_then(|id| reference.operation(id));
        page.try_it = operation.map(|operation| format!("/try/{}", operation.id));
        Ok(page)
    })
}
