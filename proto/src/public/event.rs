//! Events (§2.5).

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// A row of `GET /events`, and the whole of `GET /events/{slug}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Never changes.
    pub slug: String,
    /// As its submitter writes it.
    pub title: String,
    /// `jam`, `meetup`, `tournament`, `showcase` or `conference`.
    pub kind: String,
    /// Its first day, `YYYY-MM-DD`.
    pub starts_at: String,
    /// Its last day, when it has several.
    pub ends_at: Option<String>,
    /// Two letters.
    pub country_code: String,
    /// Where it takes place.
    pub city: String,
    /// Of that city.
    pub city_slug: String,
    /// Whether one can take part from elsewhere.
    pub online: bool,
    /// The event's own site.
    pub website: Option<String>,
    /// What it is about; empty when there is nothing.
    pub description: String,
    /// Public page address.
    pub url: String,
    /// When it was listed.
    pub created_at: Timestamp,
}
