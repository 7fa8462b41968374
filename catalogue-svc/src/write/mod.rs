//! Commands: every change of votes is made by one of these functions, in one transaction of the feed, a file a subject.
//!
//! Each command takes these steps: lock, look, save, publish. A command waits for those of the same voter alone: sums have several rows, and it
//! takes one that no other has locked. Votes and voids are not published: their sums are the tallies ([`crate::store::tallies`]).

mod board_snapshot;
mod void;
mod vote;

use kit::Fault;
use kit::feed::{NewChange, Producer};

use crate::domain::staff_action::By;
use crate::domain::vote::Vote;

pub use board_snapshot::{Announce, NamedMove};
pub use void::{Void, Voided};
pub use vote::Limits;

/// Stores a vote. Returns false if the voter has judged the pair today already.
///
/// # Errors
/// A limit is reached, or PostgreSQL is unavailable.
pub async fn cast(producer: &Producer, vote: &Vote, limits: Limits) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let is_new = vote::cast(&mut transaction, vote, limits, now).await?;
    transaction.commit(&[]).await?;
    Ok(is_new)
}

/// Staff void the votes of a voter, or let them count again.
///
/// # Errors
/// There is no such voter, or PostgreSQL is unavailable.
pub async fn void(producer: &Producer, by: &By, void: &Void) -> Result<Voided, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let voided = void::void(&mut transaction, by, void, now).await?;
    transaction.commit(&[]).await?;
    Ok(voided)
}

/// Marks a board snapshot as taken, and publishes it with its moves. If it was marked before, nothing changes.
///
/// # Errors
/// PostgreSQL is unavailable.
pub async fn announce(producer: &Producer, snapshot: &Announce) -> Result<(), Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let changes = board_snapshot::announce(&mut transaction, snapshot, now).await?;
    transaction.commit(&changes).await
}

/// A one-off event, which no later change of the feed replaces.
fn happening(entity: &'static str, event: &'static str, id: String, state: Vec<u8>) -> NewChange {
    NewChange {
        entity,
        id,
        revision: 1,
        event,
        announced: false,
        happening: true,
        state,
    }
}
