//! Decisions of staff on held reports (§3).

use kit::audit::Subject;
use kit::feed::{ApplyError, ApplyResult};
use kit::pg::RowLock;
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use crate::domain::staff_action::By;
use crate::store::currencies;
use crate::store::reports::{self, Decision};

/// Decides on a held report.
#[derive(Debug, Clone)]
pub struct ReviewReport {
    /// The report's number.
    pub report: i64,
    pub approved: bool,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewOutcome {
    Decided,
    /// The same decision was made before.
    Unchanged,
}

/// Decides on a held report. An approved report counts from its own time, so that the order of approvals makes no difference.
pub(super) async fn decide(
    connection: &mut PgConnection,
    by: &By,
    review: &ReviewReport,
    now: OffsetDateTime,
) -> ApplyResult<ReviewOutcome> {
    let Some(state) = reports::review_state(connection, review.report).await? else {
        return Err(Fault::not_found(
            "There is no report with this number. `staff report list` lists the held reports.",
        )
        .into());
    };
    // The lock of the currency guards all writes to the game's reports.
    if currencies::lock(connection, state.game_id).await? == RowLock::Busy {
        return Err(ApplyError::Busy);
    }
    let state = reports::review_state(connection, review.report).await?;
    match state {
        Some(state) if state.counted && review.approved => {
            return Ok((ReviewOutcome::Unchanged, Vec::new()));
        }
        Some(state) if state.rejected && !review.approved => {
            return Ok((ReviewOutcome::Unchanged, Vec::new()));
        }
        Some(state) if state.counted || state.rejected => {
            let decision = if state.counted {
                "counts already"
            } else {
                "was rejected"
            };
            let message = format!(
                "Report {} {decision}. Only a held report can be approved or rejected.",
                review.report
            );
            return Err(Fault::new(Code::PreconditionFailed, message).into());
        }
        _ => {}
    }
    let decision = Decision {
        approved: review.approved,
        by: &by.member.name,
        reason: &review.reason,
    };
    reports::decide(connection, review.report, decision, now).await?;
    // A rejection changes no rate.
    let changes = if review.approved {
        vec![rates_moved()]
    } else {
        Vec::new()
    };
    Ok((ReviewOutcome::Decided, changes))
}

/// The audit's entry.
pub(super) fn subject(review: &ReviewReport) -> Subject {
    Subject {
        entity: "report",
        name: review.report.to_string(),
        details: json!({ "reason": review.reason }),
    }
}
