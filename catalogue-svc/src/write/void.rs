//! Votes that staff void, or let count again.

use contracts::catalogue::v1 as proto;
use kit::audit::Subject;
use kit::feed::{ApplyError, ApplyResult};
use kit::pg::RowLock;
use kit::{Fault, ids};
use prost::Message as _;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Outcome, happening};
use crate::SCHEMA;
use crate::domain::staff_action::By;
use crate::domain::vote::TallyChange;
use crate::feeds::tally_change;
use crate::store::voters;
use crate::store::votes;

/// Tallies in one change of the feed, at most.
const AT_ONCE: usize = 1_000;

/// Whose votes are to count no more, or again.
#[derive(Debug, Clone)]
pub struct Void {
    /// Of an account or a cookie.
    pub voter: Uuid,
    /// They count again.
    pub restore: bool,
    /// Why, for the audit.
    pub reason: String,
}

/// What a [`Void`] changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voided {
    /// Votes that were taken from the boards, or given back.
    pub votes: u64,
    /// It was so already.
    pub unchanged: bool,
}

/// Takes the votes of a voter that are kept from the boards, or gives them back. Later ones of a voter whose votes are void do not count.
pub(super) async fn void(
    connection: &mut PgConnection,
    by: &By,
    Void {
        voter,
        restore,
        reason,
    }: &Void,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    match voters::lock(connection, *voter).await? {
        RowLock::Busy => return Err(ApplyError::Busy),
        RowLock::NotFound => return Err(Fault::not_found("No voter has this id.").into()),
        RowLock::Acquired(voided) if voided != *restore => {
            let unchanged = Voided {
                votes: 0,
                unchanged: true,
            };
            return Ok((Outcome::Voided(unchanged), Vec::new()));
        }
        RowLock::Acquired(_) => {}
    }
    voters::set_voided(connection, *voter, (!restore).then_some(now)).await?;
    let (tallies, votes) = votes::done_by(connection, *voter).await?;
    let sign = if *restore { 1 } else { -1 };
    let changes = tallies.chunks(AT_ONCE).map(|tallies| {
        let changes = tallies.iter().map(|change| {
            let signed = TallyChange {
                wins: sign * change.wins,
                losses: sign * change.losses,
                ..*change
            };
            tally_change::encode(&signed)
        });
        let state = proto::TallyChanges {
            changes: changes.collect(),
        };
        let event = if *restore { "restored" } else { "voided" };
        happening(
            "voter",
            event,
            ids::row_id().to_string(),
            state.encode_to_vec(),
        )
    });
    let changes = changes.collect();
    let details = json!({ "reason": reason, "votes": votes });
    let subject = Subject {
        entity: "voter",
        name: voter.to_string(),
        details,
    };
    by.record(connection, SCHEMA, subject, now).await?;
    let voided = Voided {
        votes,
        unchanged: false,
    };
    Ok((Outcome::Voided(voided), changes))
}
