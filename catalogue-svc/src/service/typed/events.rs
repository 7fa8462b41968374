//! Events.

use contracts::catalogue::v1 as proto;
use contracts::public;
use kit::timestamp;

/// A list row, and a single event.
pub(in crate::service) fn event(event: public::Event) -> proto::Event {
    proto::Event {
        slug: event.slug,
        title: event.title,
        kind: event.kind,
        starts_at: event.starts_at,
        ends_at: event.ends_at,
        country_code: event.country_code,
        city: event.city,
        city_slug: event.city_slug,
        online: event.online,
        website: event.website,
        description: event.description,
        url: event.url,
        created_at: Some(timestamp::encode(event.created_at.0)),
    }
}
