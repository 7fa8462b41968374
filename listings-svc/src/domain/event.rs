//! Events (§2.5, §4.3).

use serde::{Deserialize, Serialize};
use time::Date;

use super::content::Content;
use super::entity::Entity;

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

/// `day::option` of the `time` crate cannot deserialize within a flattened struct.
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub slug: String,
    pub title: String,
    /// `jam`, `meetup`, `tournament`, `showcase` or `conference`.
    pub kind: String,
    #[serde(with = "day")]
    pub starts_at: Date,
    /// The last day; `None` when it is the first day or unknown.
    #[serde(with = "optional_day")]
    pub ends_at: Option<Date>,
    pub country_code: String,
    pub city: String,
    pub city_slug: String,
    /// Whether one can take part online.
    pub online: bool,
    /// The event's own site.
    pub website: Option<String>,
    /// Empty when there is none.
    pub description: String,
    /// Where the data was collected.
    pub source: String,
}

impl Content for Event {
    const ENTITY: Entity = Entity::Event;

    fn key(&self) -> &str {
        &self.slug
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::listing::{Listing, RowContent};
    use crate::domain::mode::Mode;
    use crate::domain::reference_data::ReferenceData;
    use crate::domain::{field_reader::Problems, read_import_row};
    use serde_json::{Value, json};

    fn event(changes: Value) -> Result<Event, Problems> {
        let mut row = json!({
            "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "Lagos",
        });
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        row.as_object_mut().unwrap().extend(changes);
        let reference = ReferenceData::default();
        read_import_row::<RowContent<Event>>(row.as_object().unwrap(), &reference)
            .map(|row| row.content)
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
            let row = RowContent {
                content: event(json!({ "ends_at": ends_at })).unwrap(),
                created_at: None,
                updated_at: None,
                hidden_by_page: false,
            };
            let now = time::OffsetDateTime::UNIX_EPOCH;
            let event = Listing::imported(uuid::Uuid::nil(), Mode::Live, row, now);
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
