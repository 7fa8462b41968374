use contracts::listings::v1 as proto;
use kit::api::timestamp;
use uuid::Uuid;

use super::state;
use crate::domain::listing::Listing;
use crate::domain::page::Page;

pub fn message(listing: &Listing, page: &Page, owners: &[Uuid]) -> proto::Page {
    let page = page.clone();
    proto::Page {
        id: listing.id.to_string(),
        mode: listing.mode.into(),
        state: state(listing.state),
        revision: listing.revision,
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
        created_at: Some(timestamp::encode(listing.created_at)),
        first_published_at: listing.first_published_at.map(timestamp::encode),
        visible: listing.is_visible(),
        updated_at: Some(timestamp::encode(listing.updated_at)),
        owners: owners.iter().map(Uuid::to_string).collect(),
    }
}
