//! Reads the fields of a page.

use contracts::public::CREATOR_KINDS;
use serde_json::Value;

use crate::domain::body::{self, Body, CurrentListing};
use crate::domain::city::Place;
use crate::domain::edit::{Editable, NEVER_CHANGES};
use crate::domain::field_reader::{Fields, parse_slug};
use crate::domain::listing::RowContent;
use crate::domain::page::Page;
use crate::domain::reference_data::ReferenceData;
use crate::domain::{FromImportRow, array_fields, links, text};

const MAX_ROLES: usize = 20;

/// Fields that accounts cannot change, each with its error.
const READ_ONLY: [(&str, &str); 6] = [
    ("avatar_url", "Pictures are added on the site."),
    (
        "city_slug",
        "The service derives it from the city: change the city.",
    ),
    ("verified", "Staff verify pages."),
    ("games", "Submit each game by itself."),
    ("url", "The address of the page is made from the handle."),
    ("created_at", "The service sets this time: leave it out."),
];

impl Body for Page {
    /// The handle of a new page is empty when it is to be made from the name.
    type Output = Self;

    fn read(
        fields: &mut Fields<'_>,
        _reference: &ReferenceData,
        existing: Option<&CurrentListing<'_, Self>>,
    ) -> Self {
        let current = existing.map(|existing| &existing.listing.content);
        body::read_only(fields, &READ_ONLY, existing);
        let mut page = current.cloned().unwrap_or_default();
        if current.is_some() {
            let rule = ("handle", "The handle never changes.");
            body::read_only(fields, &[rule], existing);
        } else {
            page.handle = new_handle(fields);
        }
        // A page may have no city.
        let city = |fields: &mut Fields<'_>| fields.line("city", text::MAX_TITLE);
        let place = Place::from_body(fields, place(&page), city);
        read_common_fields(&mut page, fields, place);
        // Staff verified the page under its name.
        page.verified &= current.is_none_or(|current| current.name == page.name);
        page
    }
}

impl FromImportRow for RowContent<Page> {
    const KEY_FIELD: &'static str = "handle";

    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let mut content = Page {
            handle: fields.slug("handle"),
            verified: fields.boolean("verified"),
            ..Page::default()
        };
        read_staff_fields(&mut content, fields);
        fields.row_content(content, reference)
    }
}

impl Editable for Page {
    fn edited(&self, fields: &mut Fields<'_>, _reference: &ReferenceData) -> Self {
        let handle = Value::from(self.handle.as_str());
        fields.read_only("handle", || Some(&handle), NEVER_CHANGES);
        let mut page = self.clone();
        fields.update("verified", &mut page.verified, |fields| {
            fields.boolean("verified")
        });
        read_staff_fields(&mut page, fields);
        page
    }
}

/// Reads the fields that files and staff give.
fn read_staff_fields(page: &mut Page, fields: &mut Fields<'_>) {
    fields.ignore(&["note"]);
    let place = Place::from_row(fields, place(page));
    read_common_fields(page, fields, place);
    if fields.has("website") && !fields.has("links") {
        page.links.remove("website");
    }
    if let Some(website) = fields.address("website") {
        links::add(fields, &mut page.links, "website", "website", website);
    }
    fields.update("avatar_url", &mut page.avatar_url, |fields| {
        fields.address("avatar_url")
    });
    fields.update("source", &mut page.source, |fields| {
        fields.line("source", text::MAX_DESCRIPTION)
    });
}

/// Reads the fields that accounts give as well.
fn read_common_fields(page: &mut Page, fields: &mut Fields<'_>, place: Place) {
    page.country_code = place.country_code;
    page.city = place.city;
    page.city_slug = place.city_slug;
    fields.update("name", &mut page.name, |fields| fields.title("name"));
    fields.update("kind", &mut page.kind, |fields| {
        fields.choice("kind", &CREATOR_KINDS)
    });
    fields.update("roles", &mut page.roles, |fields| {
        array_fields::words(fields, "roles", MAX_ROLES, parse_slug)
    });
    fields.update("tagline", &mut page.tagline, |fields| {
        fields.line("tagline", text::MAX_TAGLINE)
    });
    fields.update("bio", &mut page.bio, |fields| {
        fields.paragraphs("bio", text::MAX_DESCRIPTION)
    });
    fields.update("links", &mut page.links, |fields| {
        links::read(fields, links::PAGE)
    });
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
    sent.and_then(|value| fields.text("handle", value, parse_slug))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::domain::body::read;
    use crate::domain::field_reader::Problems;
    use crate::domain::listing::Listing;

    fn create(body: &Value) -> Result<Page, Problems> {
        read::<Page>(body.as_object().unwrap(), &ReferenceData::default(), None)
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
    fn missing_fields_keep_their_values() {
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
        let representation = || {
            Map::from_iter([
                ("handle".to_owned(), json!("ada")),
                ("verified".to_owned(), json!(false)),
            ])
        };
        let change = |body: Value| {
            let existing = CurrentListing {
                listing: &listing,
                representation: representation(),
            };
            read(
                body.as_object().unwrap(),
                &ReferenceData::default(),
                Some(&existing),
            )
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
