//! Decisions of staff on held reports (§3).

use kit::audit::Subject;
use kit::feed::Producer;
use kit::{Code, Fault};
use serde_json::json;

use super::rates_moved;
use super::report_review::{self, ReportReview, ReviewEvent};
use crate::SCHEMA;
use crate::domain::report_state::ReportState;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::currencies;
use crate::store::decisions::{self, Decision};

/// What staff decide about a held report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It counts.
    Approve,
    /// It never counts.
    Reject,
}

/// Decides on a report.
#[derive(Debug, Clone)]
pub struct ReviewReport {
    /// The report's number.
    pub report: i64,
    pub verdict: Verdict,
    pub reason: String,
}

/// Decides on a report; returns false if it was decided in the same way before. An approved report counts from its own time, so that the
/// order of approvals makes no difference.
pub(crate) async fn decide(
    producer: &Producer,
    by: &AuthorizedAction,
    review: &ReviewReport,
) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let Some(report) = decisions::find(&mut transaction, review.report).await? else {
        return Err(Fault::not_found(
            "There is no report with this number. `staff report list` lists the held reports.",
        ));
    };
    // The lock of the currency guards all writes to the game's reports: the state is read again under the lock.
    currencies::lock(&mut transaction, report.game_id).await?;
    let report = decisions::find(&mut transaction, review.report)
        .await?
        .unwrap_or(report);
    if !changes_state(review, report.state)? {
        transaction.commit(&[]).await?;
        return Ok(false);
    }
    let approved = review.verdict == Verdict::Approve;
    let decision = Decision {
        approved,
        by: &by.member.name,
        reason: &review.reason,
    };
    decisions::decide(&mut transaction, review.report, decision, now).await?;
    // A rejection changes no rate.
    let mut changes: Vec<_> = approved.then(rates_moved).into_iter().collect();
    // The owners of the game get a mail about the decision.
    let published = ReportReview {
        game: report.game_id,
        report: review.report,
        event: match review.verdict {
            Verdict::Approve => ReviewEvent::Counted,
            Verdict::Reject => ReviewEvent::Rejected,
        },
        reason: &review.reason,
    };
    changes.extend(report_review::change(&mut transaction, published).await?);
    by.record(&mut *transaction, SCHEMA, audit_subject(review), now)
        .await?;
    transaction.commit(&changes).await?;
    Ok(true)
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
        (Verdict::Approve | Verdict::Reject, ReportState::Held) => Ok(true),
        (Verdict::Approve, ReportState::Counted) | (Verdict::Reject, ReportState::Rejected) => {
            Ok(false)
        }
        (Verdict::Reject, ReportState::Counted) => {
            refused("counts already. Only a held report can be rejected.")
        }
        (Verdict::Approve, ReportState::Rejected) => {
            refused("was rejected. Only a held report can be approved.")
        }
    }
}

fn audit_subject(review: &ReviewReport) -> Subject {
    Subject {
        entity: "report",
        name: review.report.to_string(),
        details: json!({ "reason": review.reason }),
    }
}
