//! Events (§2.5).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CitySlug, CountryCode, Day, EventKind, Slug, Timestamp};

/// A row of `GET /events`, and the whole of `GET /events/{slug}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "slug": "accra-game-jam", "title": "Accra Game Jam", "kind": "jam", "starts_at": "2027-02-27", "ends_at": "2027-02-28",
    "country_code": "GH", "city": "Accra", "city_slug": "accra", "online": false, "website": "https://jam.example",
    "description": "", "url": "https://mchezo.example/events/accra-game-jam", "created_at": "2026-03-01T08:00:00.000Z",
}))]
pub struct Event {
    /// Never changes.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// As its submitter writes it.
    pub title: String,
    /// `jam`, `meetup`, `tournament`, `showcase` or `conference`.
    #[schema(value_type = EventKind)]
    pub kind: String,
    /// Its first day, `YYYY-MM-DD`.
    #[schema(value_type = Day)]
    pub starts_at: String,
    /// Its last day, when it has several.
    #[schema(required, value_type = Option<Day>)]
    pub ends_at: Option<String>,
    /// Two letters.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Where it takes place.
    pub city: String,
    /// The slug of that city.
    #[schema(value_type = CitySlug)]
    pub city_slug: String,
    /// Whether people can take part online.
    pub online: bool,
    /// The event's own site.
    #[schema(required, format = "uri")]
    pub website: Option<String>,
    /// What it is about; empty when there is nothing.
    pub description: String,
    /// Public page address.
    #[schema(format = "uri")]
    pub url: String,
    /// When it was submitted, or the time that staff gave in an import. The first publication may be later.
    pub created_at: Timestamp,
}
