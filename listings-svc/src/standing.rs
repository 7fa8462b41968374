//! Taking down and restoring, inside the writer's transaction.

use kit::Fault;
use kit::feed::Applied;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::record::Record as _;
use crate::domain::state::{Act, State};
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::Stored;
use crate::store::revisions::{self, Actor, Revision};
use crate::write::Done;

/// A listing that staff take down or restore.
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
}

/// Takes a listing down, or restores it.
pub async fn turn(
    connection: &mut PgConnection,
    turn: &Turn,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<Done>, sqlx::Error> {
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
) -> Result<Applied<Done>, sqlx::Error>
where
    C: Clone + PartialEq,
    Listing<C>: Stored + Publish + Serialize,
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
        return Ok(Applied::Refused(never_public(before.state)));
    };
    let Some(after) = before.in_state(state) else {
        return Ok(Applied::Done(Done::Turned, Vec::new()));
    };
    let json = |listing: &Listing<C>| {
        serde_json::to_value(listing).map_err(|error| sqlx::Error::Encode(error.into()))
    };
    let new = json(&after)?;
    let revision = Revision {
        id: after.id,
        number: after.revision,
        actor: Actor::Staff,
        before: Some(json(&before)?),
        after: new.clone(),
        reason: Some(turn.reason.clone()).filter(|reason| !reason.is_empty()),
    };
    Listing::<C>::save(connection, &Value::Array(vec![new])).await?;
    let entity = Listing::<C>::ENTITY;
    revisions::append(connection, entity, now, vec![revision]).await?;
    let happened = match turn.act {
        Act::TakeDown => Happened::Removed,
        Act::Restore => Happened::Restored,
    };
    // It is no news to the world: whoever was told of the listing before knows it, and a message of what is gone is none.
    let change = after.change(happened, false, addresses);
    Ok(Applied::Done(Done::Turned, vec![change]))
}

/// There is no such listing.
pub fn none() -> Fault {
    Fault::not_found("there is no listing of this kind and name in this world")
}

fn never_public(state: State) -> Fault {
    let stands = match state {
        State::Pending => "is still waiting for its review",
        State::Rejected => "was rejected",
        State::Published | State::Removed => "stands otherwise",
    };
    Fault::invalid_field(
        "name",
        format!(
            "this listing {stands}: only what is public is taken down, and only what was taken down is restored"
        ),
    )
}
