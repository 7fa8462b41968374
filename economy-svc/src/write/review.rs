//! Decisions of staff on reports (§3).

use kit::audit::Subject;
use kit::feed::{ApplyError, ApplyResult};
use kit::pg::RowLock;
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use super::report_review::{self, ReportReview, ReviewEvent};
use crate::domain::report_state::ReportState;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::currencies;
use crate::store::decisions::{self, Decision, OlderReports};

/// What staff decide about a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A held report counts.
    Approve,
    /// A held report is rejected.
    Reject,
    /// A report that counts is rejected: it was wrong.
    Void,
}

/// Decides on a report.
#[derive(Debug, Clone)]
pub struct ReviewReport {
    /// The report's number.
    pub report: i64,
    pub verdict: Verdict,
    /// Also decides on the held reports of the game with lower numbers. A report that came after the member of staff looked is never among
    /// them.
    pub with_older: bool,
    pub reason: String,
}

/// What a [`ReviewReport`] decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewOutcome {
    /// Whether this decision changed the state of the report.
    pub is_new: bool,
    /// The number of older reports that were decided with it.
    pub older: u64,
}

impl ReviewOutcome {
    /// Whether earlier decisions were the same, so that nothing changed.
    pub fn is_unchanged(self) -> bool {
        !self.is_new && self.older == 0
    }
}

/// Decides on a report. An approved report counts from its own time, so that the order of approvals makes no difference. A voided one has
/// never counted: rates and figures, past ones too, are computed from the reports that count now.
pub(super) async fn decide(
    connection: &mut PgConnection,
    by: &AuthorizedAction,
    review: &ReviewReport,
    now: OffsetDateTime,
) -> ApplyResult<ReviewOutcome> {
    let Some(report) = decisions::find(connection, review.report).await? else {
        return Err(Fault::not_found(
            "There is no report with this number. `staff report list` lists the held reports.",
        )
        .into());
    };
    // The lock of the currency guards all writes to the game's reports: the state is read again under the lock.
    if currencies::lock(connection, report.game_id).await? == RowLock::Busy {
        return Err(ApplyError::Busy);
    }
    let report = decisions::find(connection, review.report)
        .await?
        .unwrap_or(report);
    let is_new = changes_state(review, report.state)?;
    let approved = review.verdict == Verdict::Approve;
    let decision = Decision {
        approved,
        by: &by.member.name,
        reason: &review.reason,
    };
    if is_new {
        decisions::decide(connection, review.report, decision, now).await?;
    }
    let older = if review.with_older {
        decisions::decide_below(connection, report.game_id, review.report, decision, now).await?
    } else {
        OlderReports::default()
    };
    let outcome = ReviewOutcome {
        is_new,
        older: older.count,
    };
    let mut changes = Vec::new();
    // A rejection changes no rate.
    if review.verdict != Verdict::Reject && !outcome.is_unchanged() {
        changes.push(rates_moved());
    }
    // The owners of the game get one mail about the decision, however many reports were held. A voided report changes their rates, whether
    // it was held or not.
    let newest = is_new.then_some(review.report);
    if let Some(newest) = newest.or(older.newest) {
        let review = ReportReview {
            game: report.game_id,
            report: newest,
            event: match review.verdict {
                Verdict::Approve => ReviewEvent::Counted,
                Verdict::Reject => ReviewEvent::Rejected,
                Verdict::Void => ReviewEvent::Voided,
            },
            reason: &review.reason,
        };
        changes.extend(report_review::change(connection, review).await?);
    }
    Ok((outcome, changes))
}

/// Whether a verdict changes the state of its report.
///
/// # Errors
/// `precondition_failed`: a report in this state cannot get this verdict.
fn changes_state(review: &ReviewReport, state: ReportState) -> Result<bool, Fault> {
    let refused = |problem: &str| {
        let message = format!("Report {} {problem}", review.report);
        Err(Fault::new(Code::PreconditionFailed, message))
    };
    match (review.verdict, state) {
        (Verdict::Approve | Verdict::Reject, ReportState::Held)
        | (Verdict::Void, ReportState::Counted) => Ok(true),
        (Verdict::Approve, ReportState::Counted)
        | (Verdict::Reject | Verdict::Void, ReportState::Rejected) => Ok(false),
        (Verdict::Reject, ReportState::Counted) => refused(
            "counts already. Only a held report can be rejected; `staff report void` takes back one that counts.",
        ),
        (Verdict::Approve, ReportState::Rejected) => {
            refused("was rejected. Only a held report can be approved.")
        }
        (Verdict::Void, ReportState::Held) => refused(
            "is held. Only a report that counts can be voided; `staff report reject` rejects this one.",
        ),
    }
}

pub(super) fn audit_subject(review: &ReviewReport, outcome: ReviewOutcome) -> Subject {
    Subject {
        entity: "report",
        name: review.report.to_string(),
        details: json!({ "reason": review.reason, "older_reports": outcome.older }),
    }
}
