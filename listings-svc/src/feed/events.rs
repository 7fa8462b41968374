use contracts::listings::v1 as proto;
use kit::api::timestamp;

use super::{Publish, state};
use crate::domain::event::Event;
use crate::domain::listing::Listing;

impl Publish for Listing<Event> {
    type Message = proto::Event;

    fn message(&self) -> proto::Event {
        let event = self.content.clone();
        proto::Event {
            id: self.id.to_string(),
            mode: self.mode.into(),
            state: state(self.state),
            revision: self.revision,
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
            created_at: Some(timestamp::encode(self.created_at)),
            first_published_at: self.first_published_at.map(timestamp::encode),
            visible: self.is_visible(),
            updated_at: Some(timestamp::encode(self.updated_at)),
        }
    }
}
