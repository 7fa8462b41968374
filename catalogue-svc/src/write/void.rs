//! Voids the votes of a voter, or restores them.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::Producer;
use serde_json::json;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
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
///
/// # Errors
/// There is no such voter, or PostgreSQL is unavailable.
pub async fn void(
    producer: &Producer,
    by: &AuthorizedAction,
    void: &Void,
) -> Result<Voided, Fault> {
    let Void {
        voter,
        restore,
        reason,
    } = void;
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let connection = &mut *transaction;
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
    let sign = if *restore { 1 } else { -1 };
    tallies::add(connection, *voter, None, sign).await?;
    let votes = votes::count(connection, *voter).await?.unsigned_abs();
    let details = json!({ "reason": reason, "votes": votes });
    let subject = Subject {
        entity: "voter",
        name: voter.to_string(),
        details,
    };
    by.record(connection, SCHEMA, subject, now).await?;
    transaction.commit(&[]).await?;
    Ok(Voided {
        votes,
        unchanged: false,
    })
}
