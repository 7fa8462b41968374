//! The pages of the documentation, as HTML and as Markdown.

pub mod all;
pub mod guide;
pub mod llms;
pub mod reference;

use pages::Link;
use pages::docs::{Menu, MenuGroup, MenuLink};

use crate::app::Web;
use crate::docs::guides::{DocsPage, Guides};
use crate::docs::reference::{self as api_reference, Reference};
use crate::page_error::PageError;
use crate::site::response::FixedResponse;

const TITLE: &str = "Documentation";
const SUMMARY: &str = "Read the directory of African games as JSON, submit your own, report the economy of a game, and receive signed webhooks.";

fn link(page: &DocsPage) -> Link {
    Link { href: page.path(), label: page.guide.title.clone() }
}

/// The documents with the guides and the reference as a whole, each compressed once.
#[derive(Debug)]
pub(crate) struct Documents {
    all: FixedResponse,
    index: FixedResponse,
    full: FixedResponse,
}

impl Documents {
    pub(crate) async fn new(
        app: &Web,
        guides: &Guides,
        reference: Option<&Reference>,
    ) -> Result<Self, PageError> {
        Ok(Self {
            all: FixedResponse::new(all::page(app, guides, reference)?).await?,
            index: FixedResponse::new(llms::index_file(app, guides, reference)).await?,
            full: FixedResponse::new(llms::full_file(guides, reference)).await?,
        })
    }
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
