//! Events (§2.5, §4.3).

use serde::{Deserialize, Serialize};
use time::Date;

use super::city::Place;

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub slug: String,
    pub title: String,
    /// `jam`, `meetup`, `tournament`, `showcase` or `conference`.
    pub kind: String,
    #[serde(with = "day")]
    pub starts_at: Date,
    /// The last day; `None` when it is the first day or unknown.
    #[serde(with = "day::option")]
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

impl Event {
    pub fn place(&self) -> Place {
        Place {
            country_code: self.country_code.clone(),
            city: self.city.clone(),
            city_slug: self.city_slug.clone(),
        }
    }

    pub fn set_place(&mut self, place: Place) {
        self.country_code = place.country_code;
        self.city = place.city;
        self.city_slug = place.city_slug;
    }
}

impl Default for Event {
    /// An event whose fields are empty.
    fn default() -> Self {
        Self {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use time::macros::date;

    #[test]
    fn days_are_stored_as_iso_dates() {
        for (ends_at, stored) in
            [(Some(date!(2026 - 03 - 02)), json!("2026-03-02")), (None, json!(null))]
        {
            let event = Event { starts_at: date!(2026 - 03 - 01), ends_at, ..Event::default() };
            let fields = serde_json::to_value(&event).unwrap();
            assert_eq!((&fields["starts_at"], &fields["ends_at"]), (&json!("2026-03-01"), &stored));
            assert_eq!(serde_json::from_value::<Event>(fields).unwrap(), event);
        }
    }
}
