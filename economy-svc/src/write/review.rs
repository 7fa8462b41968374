//! Decisions of staff on reports (§3).

use kit::audit::Subject;
use kit::feed::Producer;
use kit::{Code, Fault};
use serde_json::json;

use super::report_review::{self, ReportReview, ReviewEvent};
use crate::SCHEMA;
use crate::domain::report_state::ReportState;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::currencies;
use crate::store::decisions::{self, Decision, ReviewedReport};

/// What staff decide about a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A held report counts, perhaps as the first in a new unit of the currency. Without `new_unit`, it is not the first, and a report that counts
    /// stays as it is.
    Approve { new_unit: Option<bool> },
    /// A held report never counts.
    Reject,
    /// A report that counted does not any more.
    Retract,
}

/// Decides on a report.
#[derive(Debug, Clone)]
pub struct ReviewReport {
    /// The report's number.
    pub report: i64,
    pub verdict: Verdict,
    pub reason: String,
}

/// Decides on a report; returns false if it was decided in the same way before. An approved report counts from its own time, and is compared
/// when the figures are read, so that the order of decisions makes no difference.
pub(crate) async fn decide(
    producer: &Producer,
    by: &AuthorizedAction,
    review: &ReviewReport,
) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let Some(report) = decisions::find(&mut transaction, review.report).await? else {
        return Err(Fault::not_found(
            "There is no report with this number. `staff report list` lists the held reports.",
        ));
    };
    // The lock of the currency guards all writes to the game's reports: the state is read again under the lock.
    currencies::lock(&mut transaction, report.game_id).await?;
    let report = decisions::find(&mut transaction, review.report).await?.unwrap_or(report);
    let now = transaction.read_time().await?;
    if !changes_report(review, report)? {
        transaction.commit(&[]).await?;
        return Ok(false);
    }
    let decision = Decision {
        state: match review.verdict {
            Verdict::Approve { .. } => ReportState::Counted,
            Verdict::Reject => ReportState::Rejected,
            Verdict::Retract => ReportState::Retracted,
        },
        new_unit: review.verdict == Verdict::Approve { new_unit: Some(true) },
        by: &by.member.name,
        reason: &review.reason,
    };
    decisions::decide(&mut transaction, review.report, decision, now).await?;
    let news = match (review.verdict, report.state) {
        // Its unit changes, which is no news about the report.
        (Verdict::Approve { .. }, ReportState::Counted) => None,
        // The reason for an approval is a note for staff.
        (Verdict::Approve { .. }, _) => Some((ReviewEvent::Counted, "")),
        (Verdict::Reject, _) => Some((ReviewEvent::Rejected, review.reason.as_str())),
        (Verdict::Retract, _) => Some((ReviewEvent::Retracted, review.reason.as_str())),
    };
    // The owners of the game get a mail about the decision.
    let mut change = None;
    if let Some((event, reason)) = news {
        let published = ReportReview { game: report.game_id, report: review.report, event, reason };
        change = report_review::change(&mut transaction, published).await?;
    }
    by.record(&mut *transaction, SCHEMA, audit_subject(review), now).await?;
    transaction.commit(change.as_slice()).await?;
    Ok(true)
}

/// Whether a verdict changes its report.
///
/// # Errors
/// `precondition_failed`: a report in this state cannot get this verdict.
fn changes_report(review: &ReviewReport, report: ReviewedReport) -> Result<bool, Fault> {
    let problem = match (review.verdict, report.state) {
        (Verdict::Approve { .. } | Verdict::Reject, ReportState::Held)
        | (Verdict::Retract, ReportState::Counted) => return Ok(true),
        (Verdict::Approve { new_unit }, ReportState::Counted) => {
            return Ok(new_unit.is_some_and(|new_unit| new_unit != report.new_unit));
        }
        (Verdict::Reject | Verdict::Retract, ReportState::Rejected | ReportState::Retracted) => {
            return Ok(false);
        }
        (Verdict::Reject, ReportState::Counted) => {
            "counts already, and only a held report can be rejected. Retract it: `staff report retract`."
        }
        (Verdict::Retract, ReportState::Held) => {
            "is held, and only a report that counts can be retracted. Reject it: `staff report reject`."
        }
        (Verdict::Approve { .. }, ReportState::Rejected) => {
            "was rejected. Only a held report can be approved."
        }
        (Verdict::Approve { .. }, ReportState::Retracted) => {
            "was retracted. Only a held report can be approved."
        }
    };
    let message = format!("Report {} {problem}", review.report);
    Err(Fault::new(Code::PreconditionFailed, message))
}

fn audit_subject(review: &ReviewReport) -> Subject {
    let mut details = json!({ "reason": review.reason });
    if let Verdict::Approve { new_unit } = review.verdict {
        details["new_unit"] = (new_unit == Some(true)).into();
    }
    Subject { entity: "report", name: review.report.to_string(), details }
}
