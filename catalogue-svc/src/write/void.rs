//! Voids the votes of a voter, or restores them.

use contracts::catalogue::v1 as proto;
use kit::audit::Subject;
use kit::feed::NewChange;
use kit::{Fault, ids};
use prost::Message as _;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::happening;
use crate::SCHEMA;
use crate::domain::staff_action::By;
use crate::domain::tally::TallyChange;
use crate::feeds::tally_change;
use crate::store::voters;
use crate::store::votes;

/// The most changes of tallies in one change of the feed.
const AT_ONCE: usize = 1_000;

/// Voids the votes of a voter, or restores them.
#[derive(Debug, Clone)]
pub struct Void {
    /// The id of an account or a cookie.
    pub voter: Uuid,
    /// Restores the votes: they count again.
    pub restore: bool,
    /// Why, for the audit.
    pub reason: String,
}

/// What a [`Void`] changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voided {
    /// The number of votes that were voided or restored.
    pub votes: u64,
    /// The votes were voided or restored before.
    pub unchanged: bool,
}

/// Subtracts the stored votes of a voter from the tallies, or adds them again. Later votes of a voter whose votes are void do not count.
pub(super) async fn void(
    connection: &mut PgConnection,
    by: &By,
    Void {
        voter,
        restore,
        reason,
    }: &Void,
    now: OffsetDateTime,
) -> Result<(Voided, Vec<NewChange>), Fault> {
    let locked = voters::lock(connection, *voter).await?;
    let locked = locked.ok_or_else(|| Fault::not_found("No voter has this id."))?;
    if locked.is_void != *restore {
        let unchanged = Voided {
            votes: 0,
            unchanged: true,
        };
        return Ok((unchanged, Vec::new()));
    }
    voters::set_voided(connection, *voter, (!restore).then_some(now)).await?;
    let (tallies, votes) = votes::tally_changes_by(connection, *voter).await?;
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
    Ok((voided, changes))
}
