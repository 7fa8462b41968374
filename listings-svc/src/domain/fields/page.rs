//! Reads the fields of a page.

use contracts::public::CREATOR_KINDS;

use super::{Input, NEVER_CHANGES, SET_BY_SERVICE, Who};
use crate::domain::field_reader::{Fields, parse_slug};
use crate::domain::page::Page;
use crate::domain::{array_fields, links, text};

const MAX_ROLES: usize = 20;

/// Fields that accounts cannot change, each with its error.
const READ_ONLY: [(&str, &str); 6] = [
    ("avatar_url", "Pictures are added on the site."),
    ("city_slug", "The service derives it from the city: change the city."),
    ("verified", "Staff verify pages."),
    ("games", "Submit each game by itself."),
    ("url", "The address of the page is made from the handle."),
    ("created_at", SET_BY_SERVICE),
];

pub(super) fn read(fields: &mut Fields<'_>, input: &Input<'_>, current: Option<&Page>) -> Page {
    let mut page = current.cloned().unwrap_or_default();
    // A page may have no city.
    let city = |fields: &mut Fields<'_>| fields.line("city", text::MAX_TITLE);
    page.set_place(input.place(fields, page.place(), city));
    fields.update("name", &mut page.name, |fields| fields.title("name"));
    fields.update("kind", &mut page.kind, |fields| fields.choice("kind", &CREATOR_KINDS));
    fields.update("roles", &mut page.roles, |fields| {
        array_fields::words(fields, "roles", MAX_ROLES, parse_slug)
    });
    fields.update("tagline", &mut page.tagline, |fields| fields.line("tagline", text::MAX_TAGLINE));
    fields.update("bio", &mut page.bio, |fields| fields.paragraphs("bio", text::MAX_DESCRIPTION));
    fields.update("links", &mut page.links, |fields| links::read(fields, links::PAGE));
    if input.who == Who::Account {
        read_fields_of_accounts(&mut page, fields, input, current);
    } else {
        read_fields_of_staff(&mut page, fields, input);
    }
    page
}

fn read_fields_of_accounts(
    page: &mut Page,
    fields: &mut Fields<'_>,
    input: &Input<'_>,
    current: Option<&Page>,
) {
    input.read_only(fields, &READ_ONLY);
    if current.is_some() {
        input.read_only(fields, &[("handle", NEVER_CHANGES)]);
    } else {
        // It stays empty when it is to be made from the name.
        let sent = fields.value("handle");
        let handle = sent.and_then(|value| fields.text("handle", value, parse_slug));
        page.handle = handle.unwrap_or_default();
    }
    // Staff verified the page under its name.
    page.verified &= current.is_none_or(|current| current.name == page.name);
}

/// Fields that staff and files give.
fn read_fields_of_staff(page: &mut Page, fields: &mut Fields<'_>, input: &Input<'_>) {
    fields.ignore(&["note"]);
    fields.update("verified", &mut page.verified, |fields| fields.boolean("verified"));
    if fields.has("website") && !fields.has("links") {
        page.links.remove("website");
    }
    if let Some(website) = fields.address("website") {
        links::add(fields, &mut page.links, "website", "website", website);
    }
    fields.update("avatar_url", &mut page.avatar_url, |fields| {
        fields.picture("avatar_url", &input.reference.public_url)
    });
    fields
        .update("source", &mut page.source, |fields| fields.line("source", text::MAX_DESCRIPTION));
}
