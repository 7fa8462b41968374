//! Pages as accounts send them.

use contracts::public::CREATOR_KINDS;

use super::{Before, Body};
use crate::domain::city::Place;
use crate::domain::country;
use crate::domain::fields::{Fields, read_slug};
use crate::domain::known::Known;
use crate::domain::page::{Page, ROLES};
use crate::domain::{links, lists, text};

/// Fields that are only read, and why.
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
        let place = place(fields, known, held);
        Self {
            handle,
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
            links: fields.or_held("links", held.map(|page| page.links.clone()), |fields| {
                links::read(fields, links::PAGE)
            }),
            source: held.map(|page| page.source.clone()).unwrap_or_default(),
        }
    }
}

fn new_handle(fields: &mut Fields<'_>) -> String {
    let sent = fields.value("handle");
    sent.and_then(|value| fields.text("handle", value, read_slug))
        .unwrap_or_default()
}

/// Where it is: when one of country and city changes, the city is looked up anew. A page may have none.
fn place(fields: &mut Fields<'_>, known: &Known, held: Option<&Page>) -> Place {
    let changes = ["country_code", "city"].iter().any(|name| fields.has(name));
    let country_code = fields.or_held(
        "country_code",
        held.map(|page| page.country_code.clone()),
        |fields| country::read_known(fields, known),
    );
    let city = fields.or_held("city", held.map(|page| page.city.clone()), |fields| {
        fields.line("city", text::TITLE)
    });
    match held {
        Some(page) if !changes || (page.country_code == country_code && page.city == city) => {
            Place {
                country_code,
                city,
                city_slug: page.city_slug.clone(),
            }
        }
        _ if city.is_empty() => Place {
            country_code,
            ..Place::default()
        },
        _ => Place::named(fields, known, country_code, city),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::LazyCell;

    use serde_json::{Map, Value, json};
    use time::macros::datetime;
    use uuid::Uuid;

    use super::super::read;
    use super::*;
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
