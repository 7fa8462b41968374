//! Reads the fields of an event.

use contracts::public::EVENT_KINDS;
use serde_json::Value;
use time::Date;

use crate::domain::body::{self, Body, CurrentListing};
use crate::domain::city::Place;
use crate::domain::edit::{Editable, NEVER_CHANGES};
use crate::domain::event::Event;
use crate::domain::field_reader::Fields;
use crate::domain::listing::RowContent;
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
        _reference: &ReferenceData,
        existing: Option<&CurrentListing<'_, Self>>,
    ) -> Self {
        let current = existing.map(|existing| &existing.listing.content);
        body::read_only(fields, &READ_ONLY, existing);
        let city = |fields: &mut Fields<'_>| fields.title("city");
        let mut event = current.cloned().unwrap_or_else(empty_event);
        let place = Place::from_body(fields, place(&event), city);
        let page_url = || existing.and_then(|existing| existing.representation.get("url"));
        read_website(&mut event, fields, page_url);
        read_common_fields(&mut event, fields, place);
        event
    }
}

impl FromImportRow for RowContent<Event> {
    const KEY_FIELD: &'static str = "slug";

    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let mut content = empty_event();
        content.slug = fields.slug("slug");
        read_staff_fields(&mut content, fields);
        fields.row_content(content, reference)
    }
}

impl Editable for Event {
    fn edited(&self, fields: &mut Fields<'_>, _reference: &ReferenceData) -> Self {
        let slug = Value::from(self.slug.as_str());
        fields.read_only("slug", || Some(&slug), NEVER_CHANGES);
        // The account of an event is not part of its content.
        fields.ignore(&["account"]);
        let mut event = self.clone();
        read_staff_fields(&mut event, fields);
        event
    }
}

/// An event whose fields are empty.
fn empty_event() -> Event {
    Event {
        slug: String::new(),
        title: String::new(),
        kind: String::new(),
        starts_at: Date::MIN,
        ends_at: None,
        country_code: String::new(),
        city: String::new(),
        city_slug: String::new(),
        online: false,
        website: None,
        description: String::new(),
        source: String::new(),
    }
}

/// Reads the fields that files and staff give.
fn read_staff_fields(event: &mut Event, fields: &mut Fields<'_>) {
    fields.ignore(&["note"]);
    let place = Place::from_row(fields, place(event));
    if place.city.is_empty() {
        let reason = "Give a city: an event needs one, an online event too.";
        fields.refuse("city", reason);
    }
    read_website(event, fields, || None);
    fields.update("source", &mut event.source, |fields| {
        fields.line("source", text::MAX_DESCRIPTION)
    });
    read_common_fields(event, fields, place);
}

/// Reads the fields that accounts give as well.
fn read_common_fields(event: &mut Event, fields: &mut Fields<'_>, place: Place) {
    event.country_code = place.country_code;
    event.city = place.city;
    event.city_slug = place.city_slug;
    read_dates(event, fields);
    fields.update("title", &mut event.title, |fields| fields.title("title"));
    fields.update("kind", &mut event.kind, |fields| {
        fields.choice("kind", &EVENT_KINDS)
    });
    fields.update("online", &mut event.online, |fields| {
        fields.boolean("online")
    });
    fields.update("description", &mut event.description, |fields| {
        fields.paragraphs("description", text::MAX_DESCRIPTION)
    });
}

fn place(event: &Event) -> Place {
    Place {
        country_code: event.country_code.clone(),
        city: event.city.clone(),
        city_slug: event.city_slug.clone(),
    }
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
    fields.update("ends_at", &mut event.ends_at, |fields| {
        fields.date("ends_at")
    });
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
fn read_website<'a>(
    event: &mut Event,
    fields: &mut Fields<'_>,
    page_url: impl FnOnce() -> Option<&'a Value>,
) {
    let url = fields.value("url");
    let is_page_url = url.is_some_and(|url| Some(url) == page_url());
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

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::domain::body::read;
    use crate::domain::field_reader::Problems;
    use crate::domain::listing::Listing;

    fn create(changes: Value) -> Result<Event, Problems> {
        let mut body = json!({"title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "lagos"});
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        body.as_object_mut().unwrap().extend(changes);
        read::<Event>(body.as_object().unwrap(), &ReferenceData::default(), None)
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
            representation: representation(),
        };
        read(
            body.as_object().unwrap(),
            &ReferenceData::default(),
            Some(&existing),
        )
    }

    #[test]
    fn every_required_field_of_a_new_event_is_asked_for_at_once() {
        let problems = read::<Event>(&Map::new(), &ReferenceData::default(), None).unwrap_err();
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
