//! What listings-svc puts on its feed: records as messages of `listings/v1/entities.proto`.

mod events;
mod games;
mod gazetteer;
mod pages;

use kit::feed::NewChange;
use prost::Message as _;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::picture;
use crate::domain::record::Record;
use crate::domain::state::State;
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;

/// What happened to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// There was none before.
    Created,
    /// It was sent in, or once more after a rejection, and waits for its review.
    Submitted,
    /// It was changed.
    Updated,
    /// Only the address of its public page is another.
    Moved,
    /// It was sent in, and staff have approved it.
    Approved,
    /// It was sent in, and staff have sent it back.
    Rejected,
    /// It was taken down.
    Removed,
    /// It was taken down, and is public again.
    Restored,
    /// An account was given it, or it was taken from one.
    OwnersChanged,
}

/// A record that followers learn of.
pub trait Publish: Record {
    /// Its message.
    type Message: prost::Message;
    /// What it is on the feed when there was none before.
    const CREATED_EVENT: &'static str;

    /// What tells it from others of its kind, for good.
    fn id(&self) -> String;
    /// Its public page; empty for what has none.
    fn url(&self, public_url: &PublicUrl) -> String {
        public_url.listing(Self::ENTITY, self.key())
    }
    /// Its whole state.
    fn message(&self, public_url: &PublicUrl) -> Self::Message;

    /// The change to put on the feed.
    fn change(
        &self,
        change_kind: ChangeKind,
        announced: bool,
        public_url: &PublicUrl,
    ) -> NewChange {
        NewChange {
            entity: Self::ENTITY.as_str(),
            id: self.id(),
            revision: self.revision(),
            event: match change_kind {
                ChangeKind::Created => Self::CREATED_EVENT,
                ChangeKind::Submitted => "submitted",
                ChangeKind::Updated => "updated",
                ChangeKind::Moved => "moved",
                ChangeKind::Approved => "published",
                ChangeKind::Rejected => "rejected",
                ChangeKind::Removed => "removed",
                ChangeKind::Restored => "restored",
                ChangeKind::OwnersChanged => "owners_changed",
            },
            announced,
            happening: false,
            state: self.message(public_url).encode_to_vec(),
        }
    }
}

/// Where the public pages are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Addresses below `base`.
    pub fn new(base: &str) -> Self {
        Self(base.trim_end_matches('/').to_owned())
    }

    /// The base.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a picture that a listing has: an uploaded one is below the public pages, any other where it is.
    pub fn picture(&self, address: &str) -> String {
        if picture::is_uploaded(address) {
            format!("{}{address}", self.0)
        } else {
            address.to_owned()
        }
    }

    /// The public page of a listing; empty for what has none.
    pub fn listing(&self, entity: Entity, name: &str) -> String {
        let folder = match entity {
            Entity::Page => "creators",
            Entity::Game => "games",
            Entity::Event => "events",
            Entity::Genre | Entity::Country | Entity::City => return String::new(),
        };
        format!("{}/{folder}/{name}", self.0)
    }
}

/// A mode for a message.
pub(crate) fn mode(mode: Mode) -> i32 {
    i32::from(match mode {
        Mode::Live => common::Mode::Live,
        Mode::Test => common::Mode::Test,
    })
}

/// A state for a message.
pub(crate) fn state(state: State) -> i32 {
    i32::from(match state {
        State::Pending => proto::State::Pending,
        State::Published => proto::State::Published,
        State::Rejected => proto::State::Rejected,
        State::Removed => proto::State::Removed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploaded_pictures_are_below_the_public_pages_and_others_where_they_are() {
        let public_url = PublicUrl::new("https://mchezo.example/");
        let ours = format!("/pictures/{}.jpg", "0a".repeat(32));
        let public = format!("https://mchezo.example{ours}");
        assert_eq!(public_url.picture(&ours), public);
        for theirs in ["https://a.example/1.png", &public] {
            assert_eq!(public_url.picture(theirs), theirs);
        }
    }
}
