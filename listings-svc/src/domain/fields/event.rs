//! Reads the fields of an event.

use contracts::public::EVENT_KINDS;
use serde_json::Value;
use time::Date;

use super::{Input, NEVER_CHANGES, SET_BY_SERVICE, Who};
use crate::domain::event::Event;
use crate::domain::field_reader::Fields;
use crate::domain::text;

/// Fields that accounts cannot change, each with its error.
const READ_ONLY: [(&str, &str); 3] = [
    ("slug", NEVER_CHANGES),
    ("city_slug", "The service derives it from the city: change the city."),
    ("created_at", SET_BY_SERVICE),
];

pub(super) fn read(fields: &mut Fields<'_>, input: &Input<'_>, current: Option<&Event>) -> Event {
    let mut event = current.cloned().unwrap_or_default();
    let place = input.place(fields, event.place(), |fields| fields.title("city"));
    if place.city.is_empty() {
        let reason = "Give a city: an event needs one, an online event too.";
        fields.refuse("city", reason);
    }
    event.set_place(place);
    read_website(&mut event, fields, input.representation.get("url"));
    read_dates(&mut event, fields);
    fields.update("title", &mut event.title, |fields| fields.title("title"));
    fields.update("kind", &mut event.kind, |fields| fields.choice("kind", &EVENT_KINDS));
    fields.update("online", &mut event.online, |fields| fields.boolean("online"));
    fields.update("description", &mut event.description, |fields| {
        fields.paragraphs("description", text::MAX_DESCRIPTION)
    });
    if input.who == Who::Account {
        input.read_only(fields, &READ_ONLY);
        return event;
    }
    fields.ignore(&["note"]);
    if input.who == Who::Staff {
        // The account of an event is not part of its content.
        fields.ignore(&["account"]);
    }
    fields
        .update("source", &mut event.source, |fields| fields.line("source", text::MAX_DESCRIPTION));
    event
}

fn read_dates(event: &mut Event, fields: &mut Fields<'_>) {
    let mut starts_at = Some(event.starts_at);
    fields.update("starts_at", &mut starts_at, |fields| {
        let day = fields.date("starts_at");
        if day.is_none() {
            // No effect when the date was present and invalid: the first error of a field stands.
            fields.refuse("starts_at", "Give a day, such as 2026-03-01.");
        }
        day
    });
    fields.update("ends_at", &mut event.ends_at, |fields| fields.date("ends_at"));
    if let (Some(starts_at), Some(ends_at)) = (starts_at, event.ends_at)
        && ends_at < starts_at
    {
        if fields.has("ends_at") {
            fields.refuse("ends_at", "It cannot end before it starts.");
        } else {
            let reason = format!("It ends on {ends_at}, before that: change ends_at with it.");
            fields.refuse("starts_at", reason);
        }
    }
    event.starts_at = starts_at.unwrap_or(Date::MIN);
}

/// Reads the event's own site, from either of its two names. In a row that a client sends back whole, `url` is the address of our page
/// and is ignored.
fn read_website(event: &mut Event, fields: &mut Fields<'_>, page_url: Option<&Value>) {
    let url = fields.value("url");
    let is_page_url = url.is_some() && url == page_url;
    let by_url = !is_page_url && fields.has("url");
    let url = if by_url { fields.address("url") } else { None };
    let is_kept = !by_url && fields.is_kept("website");
    let website = fields.address("website");
    if url.is_some() && website.is_some() && url != website {
        let reason = "`url` and `website` are the same field: give one of them.";
        fields.refuse("website", reason);
    }
    if !is_kept {
        event.website = url.or(website);
    }
}
