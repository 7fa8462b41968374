//! Decisions on the feed, which `web` mails to the people of the accounts that they concern.

use contracts::listings::v1 as proto;
use kit::feed::NewChange;
use kit::ids;
use prost::Message as _;
use strum::IntoStaticStr;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::state::OwnershipChange;

/// What staff, or another owner, decided. The feed has these names as events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DecisionKind {
    ListingPublished,
    /// The listing is approved, but the public does not see it: it is a game whose page is not public.
    ListingApproved,
    ListingRestored,
    ListingRejected,
    ListingRemoved,
    /// Another owner of the page took the listing down.
    ListingRemovedByOwner,
    ClaimGranted,
    ClaimRejected,
    /// The page has another owner.
    OwnerAdded,
    OwnerRemoved,
    /// The game belongs to another page.
    GameMoved,
    /// The event belongs to another account.
    EventMoved,
}

impl From<OwnershipChange> for DecisionKind {
    fn from(change: OwnershipChange) -> Self {
        match change {
            OwnershipChange::AddOwner | OwnershipChange::GrantClaim => Self::OwnerAdded,
            OwnershipChange::RemoveOwner => Self::OwnerRemoved,
            OwnershipChange::MoveGame => Self::GameMoved,
            OwnershipChange::MoveEvent => Self::EventMoved,
        }
    }
}

/// A decision about a listing, or about a claim of one.
#[derive(Debug, Clone)]
pub struct StaffDecision<'a> {
    pub kind: DecisionKind,
    pub entity: Entity,
    /// The slug or the handle of the listing.
    pub name: &'a str,
    pub title: &'a str,
    /// May be empty.
    pub reason: &'a str,
    /// The accounts whose people read it.
    pub accounts: Vec<Uuid>,
    /// The new or the removed owner of a page, the owner who took a listing down, or the account that has an event now.
    pub named: Option<Uuid>,
    /// The account that had an event.
    pub former: Option<Uuid>,
    /// The handles of the page that a game was moved from, and of its page now.
    pub pages: Option<[String; 2]>,
}

impl<'a> StaffDecision<'a> {
    /// A decision without a reason, which names no account.
    pub fn on(listing: &'a Listing, kind: DecisionKind, accounts: Vec<Uuid>) -> Self {
        Self {
            kind,
            entity: listing.entity(),
            name: listing.name(),
            title: listing.content.title(),
            reason: "",
            accounts,
            named: None,
            former: None,
            pages: None,
        }
    }

    /// The change to publish; `None` if the decision concerns no account.
    pub fn change(&self) -> Option<NewChange> {
        if self.accounts.is_empty() {
            return None;
        }
        let id = |account: Option<Uuid>| account.as_ref().map(Uuid::to_string).unwrap_or_default();
        let [former_page, page] = self.pages.clone().unwrap_or_default();
        let message = proto::StaffDecision {
            account_ids: self.accounts.iter().map(Uuid::to_string).collect(),
            kind: self.entity.as_str().to_owned(),
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            reason: self.reason.to_owned(),
            account_id: id(self.named),
            former_account_id: id(self.former),
            page,
            former_page,
        };
        Some(NewChange {
            entity: "decision",
            id: ids::row_id().to_string(),
            revision: 1,
            event: self.kind.into(),
            announced: false,
            happening: true,
            state: message.encode_to_vec(),
        })
    }
}
