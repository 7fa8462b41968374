//! Encodes records for the feed, as messages of `listings/v1/entities.proto`.

pub mod decisions;
mod events;
mod games;
mod pages;

use contracts::addresses;
use contracts::listings::v1 as proto;
use kit::feed::NewChange;
use prost::Message as _;
use strum::IntoStaticStr;

use crate::domain::entity::Entity;
use crate::domain::listing::{Announcement, Listing};
use crate::domain::record::Importable;
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
    /// Staff took the listing down.
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

/// A record that the feed carries.
pub trait Publish: Importable {
    type Message: prost::Message;

    /// URL of the public page.
    fn url(&self, public_url: &PublicUrl) -> String {
        public_url.listing(Self::ENTITY, self.key())
    }
    /// The whole state of the record.
    fn message(&self) -> Self::Message;

    /// The change to publish.
    fn change(&self, change_kind: ChangeKind, announced: bool) -> NewChange {
        NewChange {
            entity: Self::ENTITY.as_str(),
            id: self.listing_id().to_string(),
            revision: self.revision(),
            event: change_kind.into(),
            announced,
            happening: false,
            state: self.message().encode_to_vec(),
        }
    }
}

/// The change of a listing to publish. The first time that the public sees a listing is its publication, whatever made it visible.
pub fn listing_change<C>(
    before: Option<&Listing<C>>,
    after: &Listing<C>,
    change_kind: ChangeKind,
) -> NewChange
where
    Listing<C>: Publish,
{
    let announcement = after.announcement(before, change_kind == ChangeKind::Updated);
    let change_kind = match announcement {
        Some(Announcement::Published) => ChangeKind::Approved,
        Some(Announcement::Updated) | None => change_kind,
    };
    after.change(change_kind, announcement.is_some())
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

pub(crate) fn state(state: ListingState) -> i32 {
    i32::from(match state {
        ListingState::Pending => proto::State::Pending,
        ListingState::Published => proto::State::Published,
        ListingState::Rejected => proto::State::Rejected,
        ListingState::Removed => proto::State::Removed,
    })
}
