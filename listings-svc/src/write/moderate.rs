//! Deciding on what was sent in, taking down and restoring, inside the writer's transaction.

use kit::Fault;
use kit::feed::Applied;
use kit::rpc::staff::Member;
use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::record_change::{StaffChange, check_revision, update_by_staff};
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::state::{State, Transition};
use crate::feed::{ChangeKind, PublicUrl, Publish};
use crate::store::{ListingTable, RecordTable as _};

/// A listing that staff decide on, take down or restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moderation {
    /// A page, a game or an event.
    pub entity: Entity,
    /// Which world it belongs to.
    pub mode: Mode,
    /// Its slug or handle.
    pub name: String,
    /// What they do.
    pub transition: Transition,
    /// Why, for the record; may be empty.
    pub reason: String,
    /// The revision that they have looked at; the listing must still stand at it.
    pub revision: Option<i64>,
    /// Who of them.
    pub by: Member,
}

/// Does to a listing what staff want.
pub async fn apply(
    connection: &mut PgConnection,
    moderation: &Moderation,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error> {
    match moderation.entity {
        Entity::Page => moderate::<Page>(connection, moderation, public_url, now).await,
        Entity::Game => moderate::<Game>(connection, moderation, public_url, now).await,
        Entity::Event => moderate::<Event>(connection, moderation, public_url, now).await,
        Entity::Genre | Entity::Country | Entity::City => Ok(Applied::Refused(listing_not_found())),
    }
}

async fn moderate<C>(
    connection: &mut PgConnection,
    moderation: &Moderation,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error>
where
    C: Clone + PartialEq,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let names = std::slice::from_ref(&moderation.name);
    let locked = Listing::<C>::lock(connection, moderation.mode, names).await?;
    let Some(rows) = locked.complete() else {
        return Ok(Applied::Busy);
    };
    let Some(before) = rows.into_iter().next() else {
        return Ok(Applied::Refused(listing_not_found()));
    };
    let Some(state) = before.state.apply(moderation.transition) else {
        return Ok(Applied::Refused(transition_refused(
            before.state,
            moderation.transition,
        )));
    };
    let Some(after) = before.with_state(state, now) else {
        return Ok(Applied::Done((), Vec::new()));
    };
    if let Some(fault) = check_revision(moderation.revision, before.revision) {
        return Ok(Applied::Refused(fault));
    }
    let action = StaffChange {
        by: &moderation.by,
        action: audit_action(moderation.transition),
        reason: &moderation.reason,
        now,
    };
    update_by_staff(connection, (&before, &after), action).await?;
    let (change_kind, announced) = match moderation.transition {
        Transition::Approve => (ChangeKind::Approved, true),
        Transition::Reject => (ChangeKind::Rejected, false),
        // It is no news to the world: whoever was told of the listing before knows it, and a message of what is gone is none.
        Transition::TakeDown => (ChangeKind::Removed, false),
        Transition::Restore => (ChangeKind::Restored, false),
    };
    let change = after.change(change_kind, announced, public_url);
    Ok(Applied::Done((), vec![change]))
}

/// What an act is called in the audit.
pub const fn audit_action(transition: Transition) -> AuditAction {
    match transition {
        Transition::Approve => AuditAction::Approve,
        Transition::Reject => AuditAction::Reject,
        Transition::TakeDown => AuditAction::TakeDown,
        Transition::Restore => AuditAction::Restore,
    }
}

/// There is no such listing.
pub fn listing_not_found() -> Fault {
    Fault::not_found(
        "there is no listing of this kind and name: look at both, and whether it is live or a sample (--mode)",
    )
}

fn transition_refused(state: State, transition: Transition) -> Fault {
    let current = match state {
        State::Pending => "is still waiting for its review",
        State::Rejected => "was rejected",
        State::Published => "is public",
        State::Removed => "was taken down",
    };
    let rule = match transition {
        Transition::Approve | Transition::Reject => {
            "only what waits for its review is approved or rejected; it waits again once its account changes it, and what is \
             public is taken down and restored"
        }
        Transition::TakeDown | Transition::Restore => {
            "only what is public is taken down, and only what was taken down is restored"
        }
    };
    Fault::invalid_field("name", format!("this listing {current}: {rule}"))
}
