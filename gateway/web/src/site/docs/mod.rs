//! The pages of the documentation, as HTML and as Markdown.

pub mod all;
pub mod guide;
pub mod llms;
pub mod reference;

use std::collections::HashMap;

use axum::response::IntoResponse as _;
use http::HeaderMap;
use http_body_util::BodyExt as _;
use kit::representations::Representations;
use pages::Link;
use pages::docs::{Menu, MenuGroup, MenuLink};
use tokio::task::spawn_blocking;

use crate::app::Web;
use crate::docs::document_cache::Documents;
use crate::docs::guides::{DocsPage, Guides};
use crate::docs::reference::{self as api_reference, Reference};
use crate::etag;
use crate::page_error::{PageError, PageResult};
use crate::site::public_request::PublicRequest;

const TITLE: &str = "Documentation";
const SUMMARY: &str = "Read the directory of African games as JSON, submit your own, report the economy of a game, and receive signed webhooks.";

fn link(page: &DocsPage) -> Link {
    Link { href: page.path(), label: page.guide.title.clone() }
}

async fn documents(
    app: &Web,
    guides: &Guides,
    reference: Option<&Reference>,
) -> Result<Documents, PageError> {
    let mut documents = HashMap::new();
    for (path, response) in [
        ("/docs/all", all::page(app, guides, reference)?),
        ("/llms.txt", llms::index(app, guides, reference)),
        ("/llms-full.txt", llms::full(guides, reference)),
    ] {
        let (head, body) = etag::tag(response).await.into_parts();
        let body = body.collect().await.map_err(|_broken| PageError::internal())?.to_bytes();
        // Compressing takes too long for a thread of the runtime.
        let body = spawn_blocking(move || Representations::new(&body)).await;
        documents.insert(path, (head.headers, body.map_err(|_panicked| PageError::internal())?));
    }
    Ok(documents)
}

/// One of the documents.
pub async fn show_document(
    PublicRequest { app, visit, .. }: PublicRequest,
    accepted: HeaderMap,
) -> PageResult {
    let make = async |guides: &Guides, reference: Option<&Reference>| {
        documents(&app, guides, reference).await
    };
    let documents = app.docs.documents(make).await?;
    let (headers, body) = documents.get(&*visit.path).ok_or_else(PageError::not_found)?;
    Ok((headers.clone(), body.respond(&accepted)).into_response())
}

/// The navigation on the page with this name. On a page of the reference, it has the pages of the same group too.
fn menu(guides: &Guides, reference: Option<&Reference>, current: &str) -> Menu {
    let mut menu = Menu::default();
    let item = |page: &DocsPage| MenuLink {
        link: link(page),
        is_current: page.name == current,
        summary: page.guide.summary.clone(),
    };
    for page in &guides.pages {
        push(&mut menu, &page.group, item(page));
    }
    let list = MenuLink {
        link: Link { href: api_reference::PATH.to_owned(), label: api_reference::TITLE.to_owned() },
        is_current: current == api_reference::LIST,
        summary: api_reference::SUMMARY.to_owned(),
    };
    // Readers look for the reference first.
    match menu.groups.last_mut() {
        Some(last) if last.title == api_reference::GROUP => last.links.insert(0, list),
        _ => push(&mut menu, api_reference::GROUP, list),
    }
    let own = reference
        .and_then(|reference| reference.find(current))
        .filter(|page| page.name != api_reference::LIST);
    for page in reference.into_iter().flat_map(|it| &it.pages) {
        if own.is_some_and(|own| own.group == page.group) {
            push(&mut menu, &page.group, item(page));
        }
    }
    menu
}

/// Appends to the last group, or starts a new one if the title differs.
fn push(menu: &mut Menu, group: &str, item: MenuLink) {
    match menu.groups.last_mut() {
        Some(last) if last.title == group => last.links.push(item),
        _ => menu.groups.push(MenuGroup { title: group.to_owned(), links: vec![item] }),
    }
}
