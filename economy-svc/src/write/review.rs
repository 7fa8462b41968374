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
use crate::store::held_reports::{self, Decision};

/// Decides on a held report.
#[derive(Debug, Clone)]
pub struct ReviewReport {
    /// The report's number.
    pub report: i64,
    pub approved: bool,
    /// Also decides on the held reports of the game with lower numbers. A report that came after the member of staff looked is never among
    /// them.
    pub with_older: bool,
    pub reason: String,
}

/// What a [`ReviewReport`] decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewOutcome {
    /// The report was held until now.
    pub is_new: bool,
    /// The number of older reports that were decided with it.
    pub older: u64,
}

impl ReviewOutcome {
    /// Whether all was decided before.
    pub fn is_unchanged(self) -> bool {
        !self.is_new && self.older == 0
    }
}

/// Decides on a held report. An approved report counts from its own time, so that the order of approvals makes no difference.
pub(super) async fn decide(
    connection: &mut PgConnection,
    by: &By,
    review: &ReviewReport,
    now: OffsetDateTime,
) -> ApplyResult<ReviewOutcome> {
    let Some(state) = held_reports::review_state(connection, review.report).await? else {
        return Err(Fault::not_found(
            "There is no report with this number. `staff report list` lists the held reports.",
        )
        .into());
    };
    // The lock of the currency guards all writes to the game's reports: the state is read again under the lock.
    if currencies::lock(connection, state.game_id).await? == RowLock::Busy {
        return Err(ApplyError::Busy);
    }
    let state = held_reports::review_state(connection, review.report)
        .await?
        .unwrap_or(state);
    let is_new = !state.counted && !state.rejected;
    if !is_new && state.counted != review.approved {
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
    let decision = Decision {
        approved: review.approved,
        by: &by.member.name,
        reason: &review.reason,
    };
    if is_new {
        held_reports::decide(connection, review.report, decision, now).await?;
    }
    let older = if review.with_older {
        held_reports::decide_below(connection, state.game_id, review.report, decision, now).await?
    } else {
        0
    };
    let outcome = ReviewOutcome { is_new, older };
    // A rejection changes no rate.
    let changes = if review.approved && !outcome.is_unchanged() {
        vec![rates_moved()]
    } else {
        Vec::new()
    };
    Ok((outcome, changes))
}

/// The audit's entry.
pub(super) fn subject(review: &ReviewReport, outcome: ReviewOutcome) -> Subject {
    Subject {
        entity: "report",
        name: review.report.to_string(),
        details: json!({ "reason": review.reason, "older_reports": outcome.older }),
    }
}
