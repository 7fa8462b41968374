//! The fields of a listing, formatted for its page.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use pages::listings::Fact;

use super::typed::credit_lines;
use super::words::{link_label, value_name};

/// The parts of a listing that its pages need.
pub(super) struct Summary {
    pub(super) title: String,
    pub(super) state: proto::State,
    pub(super) revision: i64,
    /// Its public address, if the public sees it.
    pub(super) public_url: Option<String>,
    pub(super) facts: Vec<Fact>,
}

impl Summary {
    pub(super) fn of(listing: &Listing, creator: &str) -> Self {
        match listing {
            Listing::Page(page) => Self {
                title: page.name.clone(),
                state: page.state(),
                revision: page.revision,
                public_url: visible(page.visible, &page.url),
                facts: page_facts(page),
            },
            Listing::Game(game) => Self {
                title: game.title.clone(),
                state: game.state(),
                revision: game.revision,
                public_url: visible(game.visible, &game.url),
                facts: game_facts(game, creator),
            },
            Listing::Event(event) => Self {
                title: event.title.clone(),
                state: event.state(),
                revision: event.revision,
                public_url: visible(event.visible, &event.url),
                facts: event_facts(event),
            },
        }
    }
}

fn visible(is_visible: bool, url: &str) -> Option<String> {
    // Nothing else becomes a link, such as `javascript:`.
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    (is_visible && is_web).then(|| url.to_owned())
}

/// The facts that are not empty.
fn present<const N: usize>(facts: [(&str, String); N]) -> Vec<Fact> {
    let present = facts.into_iter().filter(|(_, text)| !text.is_empty());
    present
        .map(|(label, text)| Fact {
            label: label.to_owned(),
            text,
        })
        .collect()
}

fn links(links: &std::collections::HashMap<String, String>) -> String {
    let mut lines: Vec<String> = links
        .iter()
        .map(|(key, url)| format!("{}: {url}", link_label(key)))
        .collect();
    lines.sort();
    lines.join("\n")
}

fn place(city: &str, country: &str) -> String {
    let parts = [city, country].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

fn page_facts(page: &proto::Page) -> Vec<Fact> {
    present([
        ("Handle", page.handle.clone()),
        ("Kind", value_name("creator-kind", &page.kind)),
        ("Roles", page.roles.join(", ")),
        ("Tagline", page.tagline.clone()),
        ("About", page.bio.clone()),
        ("Place", place(&page.city, &page.country_code)),
        (
            "Verified",
            if page.verified { "yes" } else { "" }.to_owned(),
        ),
        ("Links", links(&page.links)),
    ])
}

fn game_facts(game: &proto::Game, creator: &str) -> Vec<Fact> {
    let platforms = game.platforms.iter();
    let platforms: Vec<String> = platforms.map(|key| value_name("platform", key)).collect();
    present([
        ("Slug", game.slug.clone()),
        ("Page", creator.to_owned()),
        ("Tagline", game.tagline.clone()),
        ("Description", game.description.clone()),
        ("Genres", game.genres.join(", ")),
        ("Platforms", platforms.join(", ")),
        ("Stage", value_name("stage", &game.stage)),
        ("Year", game.release_year.to_string()),
        ("Trailer", game.trailer_url.clone().unwrap_or_default()),
        ("Links", links(&game.links)),
        ("Credits", credit_lines(&game.credits)),
    ])
}

fn event_facts(event: &proto::Event) -> Vec<Fact> {
    present([
        ("Slug", event.slug.clone()),
        ("Kind", value_name("event-kind", &event.kind)),
        ("Begins", event.starts_at.clone()),
        ("Ends", event.ends_at.clone().unwrap_or_default()),
        ("Place", place(&event.city, &event.country_code)),
        ("Online", if event.online { "yes" } else { "" }.to_owned()),
        ("Website", event.website.clone().unwrap_or_default()),
        ("Description", event.description.clone()),
    ])
}
