//! The documentation at `/docs`: its guides as pages and as Markdown, its search, and the feed of its changelog. It is in English, each page at one
//! address.

pub mod all;
pub mod changelog;
pub mod guide;
pub mod llms;
pub mod search;

use pages::docs::{Menu, MenuGroup, MenuLink};
use pages::site::cards::Link;

use crate::guides::{DocsPage, Guides};

const TITLE: &str = "Documentation";
const SUMMARY: &str = "Read the directory of African games as JSON, submit your own, report the economy of a game, and receive signed webhooks.";

fn link(page: &DocsPage) -> Link {
    Link {
        href: page.path(),
        label: page.guide.title.clone(),
    }
}

/// The navigation, on the page with this name.
fn menu(guides: &Guides, current: &str) -> Menu {
    let mut menu = Menu::default();
    for page in &guides.pages {
        let item = MenuLink {
            link: link(page),
            is_current: page.name == current,
            summary: page.guide.summary.clone(),
        };
        match menu.groups.last_mut() {
            Some(group) if group.title == page.group => group.links.push(item),
            _ => menu.groups.push(MenuGroup {
                title: page.group,
                links: vec![item],
            }),
        }
    }
    menu
}
