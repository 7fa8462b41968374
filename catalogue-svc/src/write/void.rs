//! Voids the votes of a voter, or restores them.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::Producer;
use serde_json::json;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::{tallies, voters, votes};

/// Voids the votes of a voter, or lets them count again: subtracts the stored votes from the tallies, or adds them.
///
/// Later votes of a voter whose votes are void do not count. Returns the number of votes, or `None` if they were void, or counted, before.
///
/// # Errors
/// There is no such voter, or PostgreSQL is unavailable.
pub async fn set_void(
    producer: &Producer,
    by: &AuthorizedAction,
    voter: Uuid,
    is_void: bool,
    reason: &str,
) -> Result<Option<u64>, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let was_void = voters::lock(&mut transaction, voter)
        .await?
        .ok_or_else(|| Fault::not_found("No voter has this id."))?;
    if was_void == is_void {
        return Ok(None);
    }
    voters::set_voided(&mut transaction, voter, is_void.then_some(now)).await?;
    let votes = votes::count(&mut transaction, voter).await?;
    let subject = Subject {
        entity: "voter",
        name: voter.to_string(),
        details: json!({ "reason": reason, "votes": votes }),
    };
    by.record(&mut *transaction, SCHEMA, subject, now).await?;
    // Last: it locks the sums of all listings of the voter, and votes on them wait for the commit.
    let sign = if is_void { -1 } else { 1 };
    tallies::add(&mut transaction, voter, None, sign).await?;
    transaction.commit(&[]).await?;
    Ok(Some(votes.unsigned_abs()))
}
