use contracts::listings::v1 as proto;
use kit::api::timestamp;

use super::state;
use crate::domain::event::Event;
use crate::domain::listing::Listing;

pub fn message(listing: &Listing, event: &Event) -> proto::Event {
    let event = event.clone();
    proto::Event {
        id: listing.id.to_string(),
        mode: listing.mode.into(),
        state: state(listing.state),
        revision: listing.revision,
        slug: event.slug,
        title: event.title,
        kind: event.kind,
        // `Display` writes YYYY-MM-DD.
        starts_at: event.starts_at.to_string(),
        ends_at: event.ends_at.map(|day| day.to_string()),
        country_code: event.country_code,
        city: event.city,
        city_slug: event.city_slug,
        online: event.online,
        website: event.website,
        description: event.description,
        created_at: Some(timestamp::encode(listing.created_at)),
        first_published_at: listing.first_published_at.map(timestamp::encode),
        visible: listing.is_visible(),
        updated_at: Some(timestamp::encode(listing.updated_at)),
    }
}
