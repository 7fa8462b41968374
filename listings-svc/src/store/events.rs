//! The table of events.

use sqlx::types::Json;

use super::listing_table;
use crate::domain::event::Event;
use crate::domain::listing::Listing;

/// Selects events by a clause.
macro_rules! select_events {
    ([$($clause:literal)+], $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            r#"select to_json(event) as "event!: Json<Listing<Event>>" from listings.event "# $(+ $clause)+,
            $($argument),+
        )
        .map(|row| row.event.0)
    };
}

listing_table!(
    Event,
    select_events,
    "event",
    "slug",
    "title, kind, starts_at, ends_at, country_code, city, city_slug, online, website, description, source"
);
