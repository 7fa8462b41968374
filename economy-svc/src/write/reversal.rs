//! Reversals of tips and swaps: counter-entries in the ledger, never a deletion.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::{ApplyError, ApplyResult};
use kit::pg::RowLock;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rates_moved;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::reversal::Reversal;
use crate::store::{currencies, swaps, tips};

/// Reverses a tip or a swap.
#[derive(Debug, Clone)]
pub struct ReverseTransfer {
    pub transfer: Transfer,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transfer {
    Tip(Uuid),
    /// A swap of an exchange (empty: imported by staff) by the exchange's id.
    Swap {
        exchange: String,
        id: String,
    },
}

/// Reverses a transfer; returns false if it was reversed before.
pub(super) async fn reverse(
    connection: &mut PgConnection,
    by: &AuthorizedAction,
    reverse: &ReverseTransfer,
    now: OffsetDateTime,
) -> ApplyResult<bool> {
    let reversal = Reversal {
        at: now,
        by: by.member.name.clone(),
        reason: reverse.reason.clone(),
    };
    match &reverse.transfer {
        Transfer::Tip(id) => {
            let is_new = tips::reverse(connection, *id, &reversal).await?;
            if !is_new && !tips::exists(connection, *id).await? {
                return Err(Fault::not_found(
                    "There is no tip with this id. `staff tip list` lists the tips.",
                )
                .into());
            }
            Ok((is_new, Vec::new()))
        }
        Transfer::Swap { exchange, id } => {
            let row = swaps::row(connection, exchange, id).await?;
            let (row, from_game) = row.ok_or_else(|| {
                Fault::not_found(
                    "There is no such swap. `staff swap list` lists the swaps and their exchanges.",
                )
            })?;
            if currencies::lock(connection, from_game).await? == RowLock::Busy {
                return Err(ApplyError::Busy);
            }
            let is_new = swaps::reverse(connection, &row, &reversal).await?;
            let changes = is_new.then(rates_moved);
            Ok((is_new, changes.into_iter().collect()))
        }
    }
}

pub(super) fn audit_subject(reverse: &ReverseTransfer) -> Subject {
    let reason = &reverse.reason;
    match &reverse.transfer {
        Transfer::Tip(id) => Subject {
            entity: "tip",
            name: id.to_string(),
            details: json!({ "reason": reason }),
        },
        Transfer::Swap { exchange, id } => Subject {
            entity: "swap",
            name: id.clone(),
            details: json!({ "reason": reason, "exchange": exchange }),
        },
    }
}
