//! What staff say of reports that are held (§3).

use kit::audit::Subject;
use kit::feed::{NewChange, Stop};
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use crate::domain::staff_action::By;
use crate::store::currencies::{self, Locked};
use crate::store::reports::{self, Decision};

/// A decision on a held report.
#[derive(Debug, Clone)]
pub struct Review {
    /// The report's number.
    pub report: i64,
    pub approved: bool,
    pub reason: String,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    Now,
    /// The same was said before.
    Before,
}

/// Decides on a held report. Approved, it counts with its own time, so that the order of approvals makes no difference.
pub(super) async fn decide(
    connection: &mut PgConnection,
    by: &By,
    review: &Review,
    now: OffsetDateTime,
) -> Result<(Decided, Vec<NewChange>), Stop> {
    let Some(standing) = reports::standing(connection, review.report).await? else {
        return Err(Fault::not_found(
            "there is no report with this number: look at the list of held reports",
        )
        .into());
    };
    // All that is done with the reports of a game is done under the lock of its currency.
    if currencies::lock(connection, standing.game_id).await? == Locked::Busy {
        return Err(Stop::Busy);
    }
    let standing = reports::standing(connection, review.report).await?;
    match standing {
        Some(standing) if standing.counted && review.approved => {
            return Ok((Decided::Before, Vec::new()));
        }
        Some(standing) if standing.rejected && !review.approved => {
            return Ok((Decided::Before, Vec::new()));
        }
        Some(standing) if standing.counted || standing.rejected => {
            let state = if standing.counted {
                "counts"
            } else {
                "was rejected"
            };
            let message = format!(
                "report {} {state}; only one that is held is decided on",
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
    // A rejected one moves nothing; its row stands on the feed so that the audit has its trace.
    Ok((Decided::Now, vec![rates_moved()]))
}

/// What the audit says of it.
pub(super) fn subject(review: &Review) -> Subject {
    Subject {
        entity: "report",
        name: review.report.to_string(),
        details: json!({ "reason": review.reason }),
    }
}
