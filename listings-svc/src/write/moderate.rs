//! Deciding on what was sent in, taking down and restoring, inside the writer's transaction.

use kit::Fault;
use kit::feed::Applied;
use kit::rpc::staff::Member;
use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::record_change::{StaffAction, by_staff, overtaken};
use crate::domain::deed::Deed;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::state::{Act, State};
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::{Changed, Stored as _};

/// A listing that staff decide on, take down or restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// A page, a game or an event.
    pub entity: Entity,
    /// Which world it belongs to.
    pub mode: Mode,
    /// Its slug or handle.
    pub name: String,
    /// What they do.
    pub act: Act,
    /// Why, for the record; may be empty.
    pub reason: String,
    /// The revision that they have looked at; the listing must still stand at it.
    pub revision: Option<i64>,
    /// Who of them.
    pub by: Member,
}

/// Does to a listing what staff want.
pub async fn turn(
    connection: &mut PgConnection,
    turn: &Turn,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error> {
    match turn.entity {
        Entity::Page => apply::<Page>(connection, turn, addresses, now).await,
        Entity::Game => apply::<Game>(connection, turn, addresses, now).await,
        Entity::Event => apply::<Event>(connection, turn, addresses, now).await,
        Entity::Genre | Entity::Country | Entity::City => Ok(Applied::Refused(none())),
    }
}

async fn apply<C>(
    connection: &mut PgConnection,
    turn: &Turn,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error>
where
    C: Clone + PartialEq,
    Listing<C>: Changed + Publish + Serialize,
{
    let names = std::slice::from_ref(&turn.name);
    let locked = Listing::<C>::lock(connection, turn.mode, names).await?;
    let Some(held) = locked.whole() else {
        return Ok(Applied::Busy);
    };
    let Some(before) = held.into_iter().next() else {
        return Ok(Applied::Refused(none()));
    };
    let Some(state) = before.state.after(turn.act) else {
        return Ok(Applied::Refused(misplaced(before.state, turn.act)));
    };
    let Some(after) = before.in_state(state, now) else {
        return Ok(Applied::Done((), Vec::new()));
    };
    if let Some(fault) = overtaken(turn.revision, before.revision) {
        return Ok(Applied::Refused(fault));
    }
    let action = StaffAction {
        by: &turn.by,
        deed: deed(turn.act),
        reason: &turn.reason,
        now,
    };
    by_staff(connection, (&before, &after), action).await?;
    let (happened, announced) = match turn.act {
        Act::Approve => (Happened::Approved, true),
        Act::Reject => (Happened::Rejected, false),
        // It is no news to the world: whoever was told of the listing before knows it, and a message of what is gone is none.
        Act::TakeDown => (Happened::Removed, false),
        Act::Restore => (Happened::Restored, false),
    };
    let change = after.change(happened, announced, addresses);
    Ok(Applied::Done((), vec![change]))
}

/// What an act is called in the audit.
pub const fn deed(act: Act) -> Deed {
    match act {
        Act::Approve => Deed::Approve,
        Act::Reject => Deed::Reject,
        Act::TakeDown => Deed::TakeDown,
        Act::Restore => Deed::Restore,
    }
}

/// There is no such listing.
pub fn none() -> Fault {
    Fault::not_found(
        "there is no listing of this kind and name: look at both, and whether it is live or a sample (--mode)",
    )
}

fn misplaced(state: State, act: Act) -> Fault {
    let stands = match state {
        State::Pending => "is still waiting for its review",
        State::Rejected => "was rejected",
        State::Published => "is public",
        State::Removed => "was taken down",
    };
    let rule = match act {
        Act::Approve | Act::Reject => {
            "only what waits for its review is approved or rejected; it waits again once its account changes it, and what is \
             public is taken down and restored"
        }
        Act::TakeDown | Act::Restore => {
            "only what is public is taken down, and only what was taken down is restored"
        }
    };
    Fault::invalid_field("name", format!("this listing {stands}: {rule}"))
}
