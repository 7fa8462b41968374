//! Writes claims, and converts them to messages.

use contracts::listings::v1 as proto;
use kit::feed::{Writer, unexpected_outcome};
use kit::{Fault, timestamp};
use uuid::Uuid;

use crate::store::claims::Claim;
use crate::write::claims::ClaimChange;
use crate::write::{Command, CommandHandler, Outcome};

/// Makes a claim or decides on it; returns the claim after that.
pub(super) async fn write(
    writer: &Writer<CommandHandler>,
    change: ClaimChange,
) -> Result<proto::Claim, Fault> {
    match writer.write(Command::Claim(Box::new(change))).await?.0 {
        Outcome::Claimed(claim) => Ok(message(*claim)),
        other => Err(unexpected_outcome(&other)),
    }
}

pub(super) fn message(claim: Claim) -> proto::Claim {
    let state = match claim.state.as_str() {
        "granted" => proto::ClaimState::Granted,
        "rejected" => proto::ClaimState::Rejected,
        _ => proto::ClaimState::Waiting,
    };
    proto::Claim {
        id: claim.id.to_string(),
        handle: claim.handle,
        account_id: claim.account_id.to_string(),
        evidence: claim.evidence,
        state: state.into(),
        made_at: Some(timestamp::encode(claim.made_at)),
        decided_at: claim.decided_at.map(timestamp::encode),
        reason: claim.reason,
    }
}

/// Parses the id of an account, or of a claim.
pub(super) fn parse_uuid(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse()
        .map_err(|_bad| Fault::invalid_field(field, "Give a UUID."))
}
