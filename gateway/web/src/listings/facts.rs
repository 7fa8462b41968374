//! The fields of a listing, formatted for its page.

use std::collections::HashMap;

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use pages::listings::Fact;
use pages::site::Texts;

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
    pub(super) fn of(texts: &Texts, listing: &Listing, creator: &str) -> Self {
        match listing {
            Listing::Page(page) => Self {
                title: page.name.clone(),
                state: page.state(),
                revision: page.revision,
                public_url: visible(page.visible, &page.url),
                facts: page_facts(texts, page),
            },
            Listing::Game(game) => Self {
                title: game.title.clone(),
                state: game.state(),
                revision: game.revision,
                public_url: visible(game.visible, &game.url),
                facts: game_facts(texts, game, creator),
            },
            Listing::Event(event) => Self {
                title: event.title.clone(),
                state: event.state(),
                revision: event.revision,
                public_url: visible(event.visible, &event.url),
                facts: event_facts(texts, event),
            },
        }
    }
}

fn visible(is_visible: bool, url: &str) -> Option<String> {
    // Nothing else becomes a link, such as `javascript:`.
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    (is_visible && is_web).then(|| url.to_owned())
}

/// The facts that are not empty: the keys of their labels, and their texts.
fn present<const N: usize>(texts: &Texts, facts: [(&str, String); N]) -> Vec<Fact> {
    let present = facts.into_iter().filter(|(_, text)| !text.is_empty());
    present
        .map(|(label, text)| Fact {
            label: texts.say(label).to_owned(),
            text,
        })
        .collect()
}

/// The names of several values of a field.
fn names(texts: &Texts, group: &str, values: &[String]) -> String {
    let values = values.iter();
    let names: Vec<&str> = values.map(|it| texts.value(group, it, it)).collect();
    names.join(", ")
}

fn links(texts: &Texts, links: &HashMap<String, String>) -> String {
    let links = links.iter();
    let lines = links.map(|(key, url)| {
        let label = link_label(texts, key);
        texts.say_of_two("field-link-line", &label, url)
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.join("\n")
}

fn place(texts: &Texts, city: &str, country: &str) -> String {
    let country = texts.value("country", country, country);
    let parts = [city, country].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

fn yes(texts: &Texts, is_so: bool) -> String {
    let text = if is_so { texts.say("listing-yes") } else { "" };
    text.to_owned()
}

fn page_facts(texts: &Texts, page: &proto::Page) -> Vec<Fact> {
    let facts = [
        ("field-handle", page.handle.clone()),
        ("field-kind", value_name(texts, "creator-kind", &page.kind)),
        ("field-roles", names(texts, "role", &page.roles)),
        ("field-tagline", page.tagline.clone()),
        ("field-bio", page.bio.clone()),
        ("field-place", place(texts, &page.city, &page.country_code)),
        ("field-verified", yes(texts, page.verified)),
        ("field-links", links(texts, &page.links)),
    ];
    present(texts, facts)
}

fn game_facts(texts: &Texts, game: &proto::Game, creator: &str) -> Vec<Fact> {
    let facts = [
        ("field-slug", game.slug.clone()),
        ("field-creator", creator.to_owned()),
        ("field-tagline", game.tagline.clone()),
        ("field-description", game.description.clone()),
        ("field-genres", names(texts, "genre", &game.genres)),
        ("field-platforms", names(texts, "platform", &game.platforms)),
        ("field-stage", value_name(texts, "stage", &game.stage)),
        ("game-year", game.release_year.to_string()),
        (
            "field-trailer_url",
            game.trailer_url.clone().unwrap_or_default(),
        ),
        ("field-links", links(texts, &game.links)),
        ("field-credits", credit_lines(&game.credits)),
    ];
    present(texts, facts)
}

fn event_facts(texts: &Texts, event: &proto::Event) -> Vec<Fact> {
    let place = place(texts, &event.city, &event.country_code);
    let facts = [
        ("field-slug", event.slug.clone()),
        ("field-kind", value_name(texts, "event-kind", &event.kind)),
        ("field-begins", event.starts_at.clone()),
        ("field-ends", event.ends_at.clone().unwrap_or_default()),
        ("field-place", place),
        ("field-is-online", yes(texts, event.online)),
        ("field-website", event.website.clone().unwrap_or_default()),
        ("field-description", event.description.clone()),
    ];
    present(texts, facts)
}
