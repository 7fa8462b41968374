//! The fields of a page.

use contracts::public::CREATOR_KINDS;
use serde_json::Value;

use super::{Fields, read_slug};
use crate::domain::amendment::{Amended, FIXED, TIMES};
use crate::domain::body::{Before, Body};
use crate::domain::city::Place;
use crate::domain::known::Known;
use crate::domain::links::Links;
use crate::domain::listing::Draft;
use crate::domain::page::Page;
use crate::domain::{Read, links, lists, text};

/// Roles of one page at most.
const ROLES: usize = 20;

/// Fields that accounts only read, and why.
const READ_ONLY: [(&str, &str); 6] = [
    ("avatar_url", "Pictures are added on the site."),
    ("city_slug", "It follows the city: change that."),
    ("verified", "Staff say who is verified."),
    ("games", "Games are sent in one by one."),
    ("url", "The address of the page is made from the handle."),
    ("created_at", "This time is kept by us."),
];

impl Body for Page {
    /// The handle of a new one is empty when it is to be made from the name.
    type Read = Self;

    fn read(fields: &mut Fields<'_>, known: &Known, before: Option<Before<'_, Self>>) -> Self {
        let held = before.map(|before| &before.listing.content);
        let shown = before.map(|before| before.shown);
        for (name, reason) in READ_ONLY {
            fields.read_only(name, || shown.and_then(|shown| shown.get(name)), reason);
        }
        let handle = match held {
            Some(page) => {
                let shown = || shown.and_then(|shown| shown.get("handle"));
                fields.read_only("handle", shown, "The handle never changes.");
                page.handle.clone()
            }
            None => new_handle(fields),
        };
        // A page may have no city.
        let city = |fields: &mut Fields<'_>| fields.line("city", text::TITLE);
        let place = Place::sent(fields, known, held.map(place), city);
        let links = links(fields, held);
        Self {
            handle,
            ..given_by_all(fields, held, place, links)
        }
    }
}

impl Read for Draft<Page> {
    const NAME: &'static str = "handle";

    fn read(fields: &mut Fields<'_>, known: &Known) -> Self {
        let (created_at, updated_at) = fields.times(known);
        Self {
            content: Page {
                handle: fields.slug("handle"),
                ..given_by_staff(fields, known, None)
            },
            created_at,
            updated_at,
        }
    }
}

impl Amended for Page {
    fn amended(&self, fields: &mut Fields<'_>, known: &Known) -> Self {
        let handle = Value::from(self.handle.as_str());
        fields.read_only("handle", || Some(&handle), FIXED);
        for name in ["created_at", "updated_at"] {
            fields.read_only(name, || None, TIMES);
        }
        given_by_staff(fields, known, Some(self))
    }
}

/// The fields that files and staff give; what is left out stays as it is held.
fn given_by_staff(fields: &mut Fields<'_>, known: &Known, held: Option<&Page>) -> Page {
    fields.pass_over(&["note"]);
    let place = Place::read(fields, known, held.map(place));
    let mut links = links(fields, held);
    if fields.has("website") && !fields.has("links") {
        links.remove("website");
    }
    if let Some(website) = fields.address("website") {
        links::add(fields, &mut links, "website", "website", website);
    }
    Page {
        avatar_url: fields.or_held(
            "avatar_url",
            held.map(|page| page.avatar_url.clone()),
            |fields| fields.address("avatar_url"),
        ),
        verified: fields.or_held("verified", held.map(|page| page.verified), |fields| {
            fields.flag("verified")
        }),
        source: fields.or_held("source", held.map(|page| page.source.clone()), |fields| {
            fields.line("source", text::DESCRIPTION)
        }),
        ..given_by_all(fields, held, place, links)
    }
}

/// The fields that accounts give too; what is left out stays as it is held.
fn given_by_all(fields: &mut Fields<'_>, held: Option<&Page>, place: Place, links: Links) -> Page {
    Page {
        handle: held.map(|page| page.handle.clone()).unwrap_or_default(),
        name: fields.or_held("name", held.map(|page| page.name.clone()), |fields| {
            fields.title("name")
        }),
        kind: fields.or_held("kind", held.map(|page| page.kind.clone()), |fields| {
            fields.choice("kind", &CREATOR_KINDS)
        }),
        roles: fields.or_held("roles", held.map(|page| page.roles.clone()), |fields| {
            lists::words(fields, "roles", ROLES, read_slug)
        }),
        tagline: fields.or_held("tagline", held.map(|page| page.tagline.clone()), |fields| {
            fields.line("tagline", text::TAGLINE)
        }),
        bio: fields.or_held("bio", held.map(|page| page.bio.clone()), |fields| {
            fields.paragraphs("bio", text::DESCRIPTION)
        }),
        avatar_url: held.and_then(|page| page.avatar_url.clone()),
        country_code: place.country_code,
        city: place.city,
        city_slug: place.city_slug,
        verified: held.is_some_and(|page| page.verified),
        links,
        source: held.map(|page| page.source.clone()).unwrap_or_default(),
    }
}

fn links(fields: &mut Fields<'_>, held: Option<&Page>) -> Links {
    fields.or_held("links", held.map(|page| page.links.clone()), |fields| {
        links::read(fields, links::PAGE)
    })
}

fn place(page: &Page) -> Place {
    Place {
        country_code: page.country_code.clone(),
        city: page.city.clone(),
        city_slug: page.city_slug.clone(),
    }
}

fn new_handle(fields: &mut Fields<'_>) -> String {
    let sent = fields.value("handle");
    sent.and_then(|value| fields.text("handle", value, read_slug))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::LazyCell;

    use serde_json::{Map, json};
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::domain::body::read;
    use crate::domain::fields::Problems;
    use crate::domain::listing::Listing;

    fn known() -> Known {
        Known {
            countries: ["NG".to_owned()].into(),
            ..Known::default()
        }
    }

    fn create(body: &Value) -> Result<Page, Problems> {
        read::<Page>(body.as_object().unwrap(), &known(), None)
    }

    #[test]
    fn every_required_field_of_a_new_page_is_asked_for_at_once() {
        let problems = create(&json!({"verified": true, "handle": "A B"})).unwrap_err();
        let names: Vec<&str> = problems.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["country_code", "handle", "kind", "name", "verified"]
        );
        let page = create(&json!({"name": "Ada", "kind": "person", "country_code": "ng"})).unwrap();
        assert_eq!(
            (
                page.handle.as_str(),
                page.city.as_str(),
                page.country_code.as_str()
            ),
            ("", "", "NG")
        );
    }

    #[test]
    fn what_a_change_leaves_out_stays() {
        let page = create(
            &json!({"handle": "ada", "name": "Ada", "kind": "person", "country_code": "NG", "city": "Aba", "bio": "x"}),
        );
        let page = page.unwrap();
        let listing = Listing::submitted(
            Uuid::nil(),
            Uuid::max(),
            page.clone(),
            datetime!(2026-01-01 0:00 UTC),
        );
        let shown = || {
            Map::from_iter([
                ("handle".to_owned(), json!("ada")),
                ("verified".to_owned(), json!(false)),
            ])
        };
        let change = |body: Value| {
            let before = Before {
                listing: &listing,
                shown: &LazyCell::new(shown),
            };
            read(body.as_object().unwrap(), &known(), Some(before))
        };
        assert_eq!(
            change(json!({"handle": "ada", "verified": false})),
            Ok(page.clone())
        );
        assert_eq!(
            change(json!({"bio": null, "city": null})),
            Ok(Page {
                bio: String::new(),
                city: String::new(),
                city_slug: String::new(),
                ..page
            })
        );
        assert!(
            change(json!({"handle": "eve"}))
                .unwrap_err()
                .keys()
                .eq(["handle"])
        );
    }
}
