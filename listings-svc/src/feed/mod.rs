//! Encodes records for the feed, as messages of `listings/v1/entities.proto`.

pub mod decisions;
pub mod events;
pub mod games;
pub mod pages;

use contracts::addresses;
use contracts::listings::v1 as proto;
use kit::feed::NewChange;
use prost::Message as _;
use strum::IntoStaticStr;

use crate::domain::entity::Entity;
use crate::domain::listing::{Announcement, Content, Listing};
use crate::domain::state::ListingState;

/// What a change did to a record. The names are those of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ChangeKind {
    /// An account submitted the listing, or changed it after a rejection. The listing is pending.
    Submitted,
    Updated,
    /// Staff approved a submission, or an import brought in a listing.
    #[strum(serialize = "published")]
    Approved,
    /// Staff rejected a submission, or its account withdrew it.
    Rejected,
    /// Staff or its account took the listing down.
    Removed,
    /// Staff published the listing again.
    Restored,
    /// The page of the game is no longer public.
    Hidden,
    /// The page of the game is public again.
    Shown,
    /// A page gained or lost an owner.
    OwnersChanged,
}

/// The change of a listing to publish. The first time that the public sees a listing is its publication, whatever made it visible.
pub fn listing_change(
    before: Option<&Listing>,
    after: &Listing,
    change_kind: ChangeKind,
) -> NewChange {
    let announcement = after.announcement(before, change_kind == ChangeKind::Updated);
    let change_kind = match announcement {
        Some(Announcement::Published) => ChangeKind::Approved,
        Some(Announcement::Updated) | None => change_kind,
    };
    change(after, change_kind, announcement.is_some())
}

/// A change to publish, with the whole state of the listing.
pub fn change(listing: &Listing, change_kind: ChangeKind, announced: bool) -> NewChange {
    NewChange {
        entity: listing.entity().as_str(),
        id: listing.id.to_string(),
        revision: listing.revision,
        event: change_kind.into(),
        announced,
        happening: false,
        state: match &listing.content {
            Content::Page(page) => pages::message(listing, page).encode_to_vec(),
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
