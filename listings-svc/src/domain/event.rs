//! Events (§2.5, §4.3).

use contracts::public::EVENT_KINDS;
use serde::{Deserialize, Serialize};
use time::Date;

use super::city::Place;
use super::entity::Entity;
use super::fields::Fields;
use super::known::Known;
use super::listing::Draft;
use super::record::Content;
use super::{Read, text};

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

/// `day::option` of the time crate cannot be read from within a flattened struct.
mod optional_day {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use time::Date;

    #[derive(Serialize, Deserialize)]
    struct Day(#[serde(with = "super::day")] Date);

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it so"
    )]
    pub(super) fn serialize<S: Serializer>(day: &Option<Date>, to: S) -> Result<S::Ok, S::Error> {
        day.map(Day).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Date>, D::Error> {
        Ok(Option::<Day>::deserialize(from)?.map(|Day(day)| day))
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Never changes.
    pub slug: String,
    /// What it is called.
    pub title: String,
    /// `jam`, `meetup`, `tournament`, `showcase` or `conference`.
    pub kind: String,
    /// Its first day.
    #[serde(with = "day")]
    pub starts_at: Date,
    /// Its last day, if that is another or known.
    #[serde(with = "optional_day")]
    pub ends_at: Option<Date>,
    /// Where it is.
    pub country_code: String,
    /// Where it is.
    pub city: String,
    /// Where it is.
    pub city_slug: String,
    /// Whether one can take part from afar.
    pub online: bool,
    /// Its own site.
    pub website: Option<String>,
    /// Empty when there is none.
    pub description: String,
    /// Where the facts were seen.
    pub source: String,
}

impl Content for Event {
    const ENTITY: Entity = Entity::Event;

    fn key(&self) -> &str {
        &self.slug
    }
}

impl Read for Draft<Event> {
    const NAME: &'static str = "slug";

    fn read(fields: &mut Fields<'_>, known: &Known) -> Self {
        fields.pass_over(&["note"]);
        let place = Place::read(fields, known);
        if place.city.is_empty() {
            fields.refuse(
                "city",
                "Give a city: an event needs one, an online event too.",
            );
        }
        let (starts_at, ends_at) = days(fields);
        let (created_at, updated_at) = fields.times(known);
        Self {
            content: Event {
                slug: fields.slug("slug"),
                title: fields.title("title"),
                kind: fields.choice("kind", &EVENT_KINDS),
                starts_at,
                ends_at,
                country_code: place.country_code,
                city: place.city,
                city_slug: place.city_slug,
                online: fields.flag("online"),
                website: website(fields),
                description: fields.paragraphs("description", text::DESCRIPTION),
                source: fields.line("source", text::DESCRIPTION),
            },
            created_at,
            updated_at,
        }
    }
}

fn days(fields: &mut Fields<'_>) -> (Date, Option<Date>) {
    let starts_at = fields.day("starts_at");
    let ends_at = fields.day("ends_at");
    match (starts_at, ends_at) {
        (Some(starts_at), Some(ends_at)) if ends_at < starts_at => {
            fields.refuse("ends_at", "It cannot end before it starts.");
        }
        // Stands unless the day was there and bad.
        (None, _) => fields.refuse("starts_at", "Give a day, such as 2026-03-01."),
        _ => {}
    }
    (starts_at.unwrap_or(Date::MIN), ends_at)
}

/// The event's own site goes by two names: `url`, as in the write interface, and `website`, as in what is read.
fn website(fields: &mut Fields<'_>) -> Option<String> {
    let url = fields.address("url");
    let website = fields.address("website");
    match (url, website) {
        (Some(url), Some(website)) if url != website => {
            fields.refuse(
                "website",
                "`url` and `website` are the same field; give one of them.",
            );
            None
        }
        (url, website) => url.or(website),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::listing::Listing;
    use crate::domain::mode::Mode;
    use crate::domain::{fields::Problems, read};
    use serde_json::{Value, json};

    fn event(changes: Value) -> Result<Event, Problems> {
        let mut row = json!({
            "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "Lagos",
        });
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        row.as_object_mut().unwrap().extend(changes);
        let known = Known {
            countries: ["NG".to_owned()].into(),
            ..Known::default()
        };
        read::<Draft<Event>>(row.as_object().unwrap(), &known).map(|draft| draft.content)
    }

    fn bad(changes: Value) -> Vec<String> {
        event(changes).unwrap_err().into_keys().collect()
    }

    #[test]
    fn an_event_needs_a_day_and_a_city() {
        assert!(event(json!({})).is_ok());
        assert_eq!(
            bad(json!({"starts_at": null, "city": null})),
            ["city", "starts_at"]
        );
        assert_eq!(
            bad(json!({"starts_at": "2026-02-30", "city": " "})),
            ["city", "starts_at"]
        );
    }

    #[test]
    fn it_ends_no_sooner_than_it_starts() {
        assert!(event(json!({"ends_at": "2026-03-01"})).is_ok());
        assert_eq!(bad(json!({"ends_at": "2026-02-28"})), ["ends_at"]);
    }

    #[test]
    fn its_site_has_two_names() {
        let a = "https://a.example";
        assert_eq!(
            event(json!({ "url": a })).unwrap().website.as_deref(),
            Some(a)
        );
        assert_eq!(
            event(json!({ "website": a })).unwrap().website.as_deref(),
            Some(a)
        );
        assert!(event(json!({"url": a, "website": a})).is_ok());
        assert_eq!(
            bad(json!({"url": a, "website": "https://b.example"})),
            ["website"]
        );
    }

    #[test]
    fn days_are_stored_as_days() {
        for ends_at in [json!("2026-03-02"), json!(null)] {
            let draft = Draft {
                content: event(json!({ "ends_at": ends_at })).unwrap(),
                created_at: None,
                updated_at: None,
            };
            let now = time::OffsetDateTime::UNIX_EPOCH;
            let event = Listing::imported(uuid::Uuid::nil(), Mode::Live, draft, now);
            let stored = serde_json::to_value(&event).unwrap();
            assert_eq!(
                (&stored["starts_at"], &stored["ends_at"]),
                (&json!("2026-03-01"), &ends_at)
            );
            assert_eq!(
                serde_json::from_value::<Listing<Event>>(stored).unwrap(),
                event
            );
        }
    }
}
