//! The fields of a listing, formatted for its page.

use contracts::addresses;
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use pages::listings::Fact;
use serde_json::Value;

use super::fields::{Input, ListingField, fields_of};
use super::words::{link_label, value_name};

use crate::english::{say, say_of_two, texts};

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
    /// `site` is the base URL of the public pages.
    pub(super) fn of(site: &str, listing: &Listing, creator: &str) -> Self {
        let (title, state, revision, is_visible) = match listing {
            Listing::Page(it) => (&it.name, it.state(), it.revision, it.visible),
            Listing::Game(it) => (&it.title, it.state(), it.revision, it.visible),
            Listing::Event(it) => (&it.title, it.state(), it.revision, it.visible),
        };
        let (list, name) = match listing {
            Listing::Page(it) => ("creators", &it.handle),
            Listing::Game(it) => ("games", &it.slug),
            Listing::Event(it) => ("events", &it.slug),
        };
        Self {
            title: title.clone(),
            state,
            revision,
            public_url: is_visible.then(|| addresses::listing(site, list, name)),
            facts: facts(listing, creator),
        }
    }
}

/// The fields that are not empty, except the title.
fn facts(listing: &Listing, creator: &str) -> Vec<Fact> {
    let fields = fields_of(listing, creator)
        .into_iter()
        .filter(|field| !matches!(field.input, Input::Title));
    let facts = fields.map(|field| Fact {
        label: texts().value("field", field.name, field.name).to_owned(),
        text: text(&field),
    });
    facts.filter(|fact| !fact.text.is_empty()).collect()
}

/// The value of a field of the form as people read it; `name` is that of an input, such as `links.play`.
pub(super) fn value(listing: &Listing, creator: &str, name: &str) -> String {
    let (field, link) = name.split_once('.').unwrap_or((name, ""));
    let mut fields = fields_of(listing, creator).into_iter();
    let found = fields.find(|it| it.name == field);
    found.map_or_else(String::new, |field| match &field.stored {
        Value::Object(links) => {
            let url = links.get(link).and_then(Value::as_str);
            url.unwrap_or_default().to_owned()
        }
        _ => text(&field),
    })
}

/// The value of a field as people read it.
fn text(field: &ListingField) -> String {
    let named = |value: &str| match field.input {
        Input::Select(group) | Input::Checks(group, _) => value_name(group.into(), value),
        _ => value.to_owned(),
    };
    match &field.stored {
        Value::Null | Value::Bool(false) => String::new(),
        Value::Bool(true) => say("listing-yes").to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => named(text),
        Value::Array(values) => {
            let names = values.iter().filter_map(Value::as_str).map(named);
            names.collect::<Vec<_>>().join(", ")
        }
        Value::Object(links) => {
            let mut lines: Vec<String> = links
                .iter()
                .map(|(key, url)| {
                    let (label, url) = (link_label(key), url.as_str().unwrap_or_default());
                    say_of_two("field-link-line", &label, url)
                })
                .collect();
            lines.sort();
            lines.join("\n")
        }
    }
}
