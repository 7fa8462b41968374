//! Voids the votes of a voter or of a network, or restores them.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::Producer;
use serde_json::json;

use crate::SCHEMA;
use crate::domain::rankings::Hour;
use crate::domain::staff_action::AuthorizedAction;
use crate::domain::voter::Voters;
use crate::store::{networks, tallies, voters, votes};

/// What staff void or restore, and why.
#[derive(Debug)]
pub struct VoidChange<'a> {
    pub voters: Voters,
    /// The voter, or the network, as it was typed.
    pub name: &'a str,
    pub is_void: bool,
    pub reason: &'a str,
}

/// Voids the votes of a voter or of a network, or lets them count again: subtracts the stored votes
/// from the tallies, or adds them, except votes that another void covers.
///
/// Later votes of a voter or a network whose votes are void do not count. Returns the number of
/// votes, or `None` if they were void, or counted, before.
///
/// # Errors
/// There is no such voter, or PostgreSQL is unavailable.
pub async fn set_void(
    producer: &Producer,
    by: &AuthorizedAction,
    void: &VoidChange<'_>,
) -> Result<Option<u64>, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let voided_at = void.is_void.then_some(now);
    // Voids wait for each other, because each leaves out the votes that others cover.
    kit::pg::lock_key(&mut transaction, "voids of catalogue-svc").await?;
    let stored = match void.voters {
        Voters::Voter(voter) => {
            let was_void = voters::lock(&mut transaction, voter).await?;
            let was_void = was_void.ok_or_else(|| Fault::not_found("No voter has this id."))?;
            if was_void == void.is_void {
                return Ok(None);
            }
            voters::set_voided(&mut transaction, voter, voided_at).await?;
            votes::of_voter(&mut transaction, voter).await?
        }
        Voters::Network(network) => {
            networks::lock(&mut transaction, network).await?;
            if !networks::set_voided(&mut transaction, network, voided_at).await? {
                return Ok(None);
            }
            votes::of_network(&mut transaction, network).await?
        }
    };
    // Each vote is a win of one listing.
    let votes = stored.iter().map(|of_hour| of_hour.wins).sum::<i64>();
    let (entity, stands_for) = match void.voters {
        Voters::Voter(voter) => ("voter", voter.to_string()),
        Voters::Network(network) => ("network", network.to_string()),
    };
    let details = json!({ entity: stands_for, "reason": void.reason, "votes": votes });
    let subject = Subject { entity, name: void.name.to_owned(), details };
    by.record(&mut *transaction, SCHEMA, subject, now).await?;
    // Last: it locks the sums of all listings of the votes, and votes on them wait for the commit.
    let sign = if void.is_void { -1 } else { 1 };
    tallies::add(&mut transaction, &stored, sign, Hour::containing(now)).await?;
    transaction.commit(&[]).await?;
    Ok(Some(votes.unsigned_abs()))
}
