use contracts::listings::v1 as proto;
use kit::api::timestamp;

use super::{Publish, state};
use crate::domain::listing::Listing;
use crate::domain::page::Page;

impl Publish for Listing<Page> {
    type Message = proto::Page;

    fn message(&self) -> proto::Page {
        let page = self.content.clone();
        proto::Page {
            id: self.id.to_string(),
            mode: self.mode.into(),
            state: state(self.state),
            revision: self.revision,
            handle: page.handle,
            name: page.name,
            kind: page.kind,
            roles: page.roles,
            tagline: page.tagline,
            bio: page.bio,
            avatar_url: page.avatar_url,
            country_code: page.country_code,
            city: page.city,
            city_slug: page.city_slug,
            verified: page.verified,
            links: page.links.into_iter().collect(),
            created_at: Some(timestamp::encode(self.created_at)),
            first_published_at: self.first_published_at.map(timestamp::encode),
            visible: self.is_visible(),
            updated_at: Some(timestamp::encode(self.updated_at)),
            // The owners are not part of the record: the commit appends them.
            owners: Vec::new(),
        }
    }
}
