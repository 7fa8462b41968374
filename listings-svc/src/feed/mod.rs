//! Encodes records for the feed, as messages of `listings/v1/entities.proto`.

pub mod decisions;
pub mod events;
pub mod games;
pub mod pages;

use contracts::addresses;
use contracts::listings::v1 as proto;
use kit::feed::NewChange;
use prost::Message as _;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing::{Announcement, Content, Listing};
use crate::domain::state::ListingState;

/// The event of a change that is not announced: followers read the state of the record.
const CHANGED: &str = "changed";

/// The change of a listing to publish, announced as §6 says. Only a page has `owners`.
pub fn listing_change(before: Option<&Listing>, after: &Listing, owners: &[Uuid]) -> NewChange {
    change(after, owners, after.announcement(before))
}

/// A change of a listing that is not announced. Only a page has `owners`.
pub fn silent_change(listing: &Listing, owners: &[Uuid]) -> NewChange {
    change(listing, owners, None)
}

fn change(listing: &Listing, owners: &[Uuid], announcement: Option<Announcement>) -> NewChange {
    NewChange {
        entity: listing.entity().as_str(),
        id: listing.id.to_string(),
        revision: listing.revision,
        event: announcement.map_or(CHANGED, Into::into),
        announced: announcement.is_some(),
        happening: false,
        state: match &listing.content {
            Content::Page(page) => pages::message(listing, page, owners).encode_to_vec(),
            Content::Game(game) => games::message(listing, game).encode_to_vec(),
            Content::Event(event) => events::message(listing, event).encode_to_vec(),
        },
    }
}

/// The base URL of the public pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    pub fn new(base: &str) -> Self {
        Self(base.trim_end_matches('/').to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The public URL of a picture: below the base URL for an uploaded picture, unchanged for any other.
    pub fn picture(&self, address: &str) -> String {
        addresses::picture(&self.0, address)
    }

    /// URL of the public page of a listing.
    pub fn listing(&self, entity: Entity, name: &str) -> String {
        let list = match entity {
            Entity::Page => "creators",
            Entity::Game => "games",
            Entity::Event => "events",
        };
        addresses::listing(&self.0, list, name)
    }
}

/// The state in a column; unspecified if only a newer version knows it.
pub(crate) fn stored_state(text: &str) -> i32 {
    text.parse().map_or(0, state)
}

pub(crate) fn state(state: ListingState) -> i32 {
    i32::from(match state {
        ListingState::Pending => proto::State::Pending,
        ListingState::Published => proto::State::Published,
        ListingState::Rejected => proto::State::Rejected,
        ListingState::Removed => proto::State::Removed,
    })
}
