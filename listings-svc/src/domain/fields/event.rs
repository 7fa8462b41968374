//! Reads the fields of an event.

use contracts::public::EVENT_KINDS;
use serde_json::Value;
use time::Date;

use super::Fields;
use crate::domain::body::{Body, CurrentListing};
use crate::domain::city::Place;
use crate::domain::edit::{Editable, KEPT_BY_SERVICE, NEVER_CHANGES};
use crate::domain::event::Event;
use crate::domain::listing::Draft;
use crate::domain::reference_data::ReferenceData;
use crate::domain::{FromImportRow, text};

/// Fields that accounts cannot change, each with its error.
const READ_ONLY: [(&str, &str); 3] = [
    ("slug", "The slug never changes."),
    (
        "city_slug",
        "The service derives it from the city: change the city.",
    ),
    ("created_at", "The service sets this time: leave it out."),
];

impl Body for Event {
    type Output = Self;

    fn read(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        existing: Option<CurrentListing<'_, Self>>,
    ) -> Self {
        let current = existing.map(|existing| &existing.listing.content);
        let representation = existing.map(|existing| existing.representation);
        for (name, reason) in READ_ONLY {
            fields.read_only(
                name,
                || representation.and_then(|representation| representation.get(name)),
                reason,
            );
        }
        let city = |fields: &mut Fields<'_>| fields.title("city");
        let place = Place::from_body(fields, reference, current.map(place), city);
        let website = website(fields, current, || {
            representation.and_then(|representation| representation.get("url"))
        });
        read_common_fields(fields, current, place, website)
    }
}

impl FromImportRow for Draft<Event> {
    const KEY_FIELD: &'static str = "slug";

    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let (created_at, updated_at) = fields.times(reference);
        Self {
            content: Event {
                slug: fields.slug("slug"),
                ..read_staff_fields(fields, reference, None)
            },
            created_at,
            updated_at,
            hidden_by_page: false,
        }
    }
}

impl Editable for Event {
    fn edited(&self, fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let slug = Value::from(self.slug.as_str());
        fields.read_only("slug", || Some(&slug), NEVER_CHANGES);
        for name in ["created_at", "updated_at"] {
            fields.read_only(name, || None, KEPT_BY_SERVICE);
        }
        read_staff_fields(fields, reference, Some(self))
    }
}

/// Reads the fields that files and staff give; a missing field keeps its current value.
fn read_staff_fields(
    fields: &mut Fields<'_>,
    reference: &ReferenceData,
    current: Option<&Event>,
) -> Event {
    fields.ignore(&["note"]);
    let place = Place::from_row(fields, reference, current.map(place));
    if place.city.is_empty() {
        let reason = "Give a city: an event needs one, an online event too.";
        fields.refuse("city", reason);
    }
    let website = website(fields, current, || None);
    Event {
        source: fields.or_current(
            "source",
            current.map(|event| event.source.clone()),
            |fields| fields.line("source", text::MAX_DESCRIPTION),
        ),
        ..read_common_fields(fields, current, place, website)
    }
}

/// Reads the fields that accounts give as well; a missing field keeps its current value.
fn read_common_fields(
    fields: &mut Fields<'_>,
    current: Option<&Event>,
    place: Place,
    website: Option<String>,
) -> Event {
    let (starts_at, ends_at) = dates(fields, current);
    Event {
        slug: current.map(|event| event.slug.clone()).unwrap_or_default(),
        title: fields.or_current(
            "title",
            current.map(|event| event.title.clone()),
            |fields| fields.title("title"),
        ),
        kind: fields.or_current("kind", current.map(|event| event.kind.clone()), |fields| {
            fields.choice("kind", &EVENT_KINDS)
        }),
        starts_at,
        ends_at,
        country_code: place.country_code,
        city: place.city,
        city_slug: place.city_slug,
        online: fields.or_current("online", current.map(|event| event.online), |fields| {
            fields.boolean("online")
        }),
        website,
        description: fields.or_current(
            "description",
            current.map(|event| event.description.clone()),
            |fields| fields.paragraphs("description", text::MAX_DESCRIPTION),
        ),
        source: current
            .map(|event| event.source.clone())
            .unwrap_or_default(),
    }
}

fn place(event: &Event) -> Place {
    Place {
        country_code: event.country_code.clone(),
        city: event.city.clone(),
        city_slug: event.city_slug.clone(),
    }
}

fn dates(fields: &mut Fields<'_>, current: Option<&Event>) -> (Date, Option<Date>) {
    let starts_at = fields.or_current(
        "starts_at",
        current.map(|event| Some(event.starts_at)),
        |fields| {
            let day = fields.date("starts_at");
            if day.is_none() {
                // No effect when the date was present and invalid: the first error of a field stands.
                fields.refuse("starts_at", "Give a day, such as 2026-03-01.");
            }
            day
        },
    );
    let ends_at = fields.or_current("ends_at", current.map(|event| event.ends_at), |fields| {
        fields.date("ends_at")
    });
    if let (Some(starts_at), Some(ends_at)) = (starts_at, ends_at)
        && ends_at < starts_at
    {
        if fields.has("ends_at") {
            fields.refuse("ends_at", "It cannot end before it starts.");
        } else {
            let reason = format!("It ends on {ends_at}, before that: change ends_at with it.");
            fields.refuse("starts_at", reason);
        }
    }
    (starts_at.unwrap_or(Date::MIN), ends_at)
}

/// Reads the event's own site, from either of its two names. In a row that a client sends back whole, `url` is the address of our page
/// and is ignored.
fn website<'a>(
    fields: &mut Fields<'_>,
    current: Option<&Event>,
    page: impl FnOnce() -> Option<&'a Value>,
) -> Option<String> {
    let url = fields.value("url");
    let is_page_url = url.is_some_and(|url| Some(url) == page());
    let by_url = !is_page_url && fields.has("url");
    let by_website = fields.has("website");
    let url = if by_url { fields.address("url") } else { None };
    let website = fields.address("website");
    match (url, website) {
        (Some(url), Some(website)) if url != website => {
            let reason = "`url` and `website` are the same field: give one of them.";
            fields.refuse("website", reason);
            None
        }
        (None, None) if !by_url && !by_website => current.and_then(|event| event.website.clone()),
        (url, website) => url.or(website),
    }
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
    use crate::domain::gazetteer::{City, Gazetteer};
    use crate::domain::listing::Listing;

    fn reference() -> ReferenceData {
        let city = |slug: &str, name: &str, country: &str| City {
            slug: slug.to_owned(),
            name: name.to_owned(),
            country_code: country.to_owned(),
            population: Some(1),
            source: String::new(),
        };
        ReferenceData {
            year: 2026,
            countries: ["NG", "KE"].map(str::to_owned).into(),
            gazetteer: Gazetteer::new(vec![
                city("lagos", "Lagos", "NG"),
                city("nairobi", "Nairobi", "KE"),
            ]),
            ..ReferenceData::default()
        }
    }

    fn create(changes: Value) -> Result<Event, Problems> {
        let mut body = json!({"title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "lagos"});
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        body.as_object_mut().unwrap().extend(changes);
        read::<Event>(body.as_object().unwrap(), &reference(), None)
    }

    fn representation() -> Map<String, Value> {
        let representation = json!({
            "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "ends_at": "2026-03-02", "country_code": "NG",
            "city": "Lagos", "city_slug": "lagos", "online": false, "website": "https://jam.example", "description": "",
            "url": "https://x.example/events/jam", "created_at": "2026-01-01T00:00:00.000Z",
        });
        let Value::Object(representation) = representation else {
            unreachable!()
        };
        representation
    }

    fn current() -> Event {
        let event = create(json!({"ends_at": "2026-03-02", "url": "https://jam.example"})).unwrap();
        Event {
            slug: "jam".to_owned(),
            ..event
        }
    }

    fn change(body: &Value) -> Result<Event, Problems> {
        let listing = Listing::submitted(
            Uuid::nil(),
            Uuid::max(),
            current(),
            datetime!(2026-01-01 0:00 UTC),
        );
        let existing = CurrentListing {
            listing: &listing,
            representation: &LazyCell::new(representation),
        };
        read(body.as_object().unwrap(), &reference(), Some(existing))
    }

    #[test]
    fn every_required_field_of_a_new_event_is_asked_for_at_once() {
        let problems = read::<Event>(&Map::new(), &reference(), None).unwrap_err();
        let names: Vec<&str> = problems.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["city", "country_code", "kind", "starts_at", "title"]
        );
    }

    #[test]
    fn an_event_ends_when_it_has_started() {
        assert!(create(json!({"ends_at": "2026-03-01"})).is_ok());
        assert!(
            create(json!({"ends_at": "2026-02-28"}))
                .unwrap_err()
                .keys()
                .eq(["ends_at"])
        );
        assert!(
            change(&json!({"starts_at": "2026-03-03"}))
                .unwrap_err()
                .keys()
                .eq(["starts_at"])
        );
        assert!(change(&json!({"starts_at": "2026-03-03", "ends_at": null})).is_ok());
        assert!(
            change(&json!({"starts_at": null}))
                .unwrap_err()
                .keys()
                .eq(["starts_at"])
        );
    }

    #[test]
    fn a_whole_row_may_come_back_with_its_changes() {
        assert_eq!(change(&Value::Object(representation())), Ok(current()));
        let mut row = representation();
        row.insert("city".to_owned(), json!("Nairobi"));
        row.insert("country_code".to_owned(), json!("KE"));
        let moved = change(&Value::Object(row.clone())).unwrap();
        assert_eq!(
            (moved.city.as_str(), moved.city_slug.as_str()),
            ("Nairobi", "nairobi")
        );
        assert_eq!(moved.website, current().website);
        row.insert("slug".to_owned(), json!("other"));
        assert!(change(&Value::Object(row)).unwrap_err().keys().eq(["slug"]));
    }

    #[test]
    fn the_site_of_an_event_has_two_names() {
        let site = |body: Value| change(&body).map(|event| event.website);
        let new = Some("https://new.example".to_owned());
        assert_eq!(site(json!({"url": "https://new.example"})), Ok(new.clone()));
        assert_eq!(
            site(json!({"website": "https://new.example"})),
            Ok(new.clone())
        );
        assert_eq!(
            site(json!({"url": "https://x.example/events/jam", "website": "https://new.example"})),
            Ok(new)
        );
        assert_eq!(
            site(json!({"url": "https://x.example/events/jam"})),
            Ok(current().website)
        );
        assert_eq!(site(json!({"url": null})), Ok(None));
        assert_eq!(site(json!({"website": null})), Ok(None));
        let both = json!({"url": "https://a.example", "website": "https://b.example"});
        assert!(site(both).unwrap_err().keys().eq(["website"]));
    }
}
