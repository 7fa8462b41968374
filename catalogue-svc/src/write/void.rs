//! Voids the votes of a voter, or restores them.

use kit::Fault;
use kit::audit::Subject;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::By;
use crate::domain::tally::TallyChange;
use crate::store::{tallies, voters, votes};

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
) -> Result<Voided, Fault> {
    let locked = voters::lock(connection, *voter).await?;
    let locked = locked.ok_or_else(|| Fault::not_found("No voter has this id."))?;
    if locked.is_void != *restore {
        let unchanged = Voided {
            votes: 0,
            unchanged: true,
        };
        return Ok(unchanged);
    }
    voters::set_voided(connection, *voter, (!restore).then_some(now)).await?;
    let (changes, votes) = votes::tally_changes_by(connection, *voter).await?;
    let sign = if *restore { 1 } else { -1 };
    let signed = changes.into_iter().map(|change| TallyChange {
        wins: sign * change.wins,
        losses: sign * change.losses,
        ..change
    });
    tallies::add(connection, &signed.collect::<Vec<_>>()).await?;
    let details = json!({ "reason": reason, "votes": votes });
    let subject = Subject {
        entity: "voter",
        name: voter.to_string(),
        details,
    };
    by.record(connection, SCHEMA, subject, now).await?;
    Ok(Voided {
        votes,
        unchanged: false,
    })
}
