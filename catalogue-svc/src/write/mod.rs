//! Commands: every change of votes goes through the writer of the feed as one of these, a file a subject.
//!
//! Each command takes these steps: lock, look, save, publish. Rows are locked in the order voters, votes, networks, tallies, head of the feed.
//! Votes and voids are not published: their sums are the tallies, which these commands change ([`crate::store::tallies`]).

mod board_snapshot;
mod void;
mod vote;

use kit::feed::{Apply, ApplyResult, NewChange};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::staff_action::By;
use crate::domain::vote::Vote;

pub use board_snapshot::{Announce, NamedMove};
pub use void::{Void, Voided};
pub use vote::Limits;

/// A change of votes or snapshots.
#[derive(Debug)]
pub enum Command {
    /// A vote.
    Vote(Vote),
    /// Staff void the votes of a voter, or let them count again.
    Void(By, Void),
    /// Marks a board snapshot as taken.
    Snapshot(Announce),
}

/// The outcome of a command.
#[derive(Debug)]
pub enum Outcome {
    /// The vote is stored.
    Voted,
    /// The voter has judged the pair today already.
    Repeated,
    /// Votes are void, or count again.
    Voided(Voided),
    /// The snapshot is marked as taken.
    Announced,
}

/// Applies commands inside the writer's transaction.
#[derive(Debug, Clone, Copy)]
pub struct CommandHandler {
    /// Limits of votes.
    pub limits: Limits,
}

impl Apply for CommandHandler {
    type Item = Command;
    type Outcome = Outcome;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        command: &Command,
        now: OffsetDateTime,
    ) -> ApplyResult<Outcome> {
        match command {
            Command::Vote(vote) => vote::cast(connection, vote, self.limits, now).await,
            Command::Void(by, void) => void::void(connection, by, void, now).await,
            Command::Snapshot(snapshot) => {
                board_snapshot::announce(connection, snapshot, now).await
            }
        }
    }
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
