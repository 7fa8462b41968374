//! Held reports, and the decisions on them.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::audit::reason;
use kit::page::Page;

use super::{Service, required_reason};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::page;
use crate::service::report_message::report_message;
use crate::store::reports::{self, Row, Selection};
use crate::write::{ReviewReport, Verdict, review};

/// The held reports, the oldest first, each with the counted report that it was compared with.
pub(super) async fn list_held(
    service: &Service,
    request: proto::ListHeldReportsRequest,
) -> Result<proto::ListHeldReportsResponse, Fault> {
    let page: Page<i64> = page::read("held reports", [], request.page)?;
    let held = Selection::Held(page.after);
    let mut held = reports::list(&service.pool, held, page.rows_to_fetch()).await?;
    held.sort_unstable_by_key(|row| row.id);
    let next_cursor = page.cut(&mut held, |row| row.id)?;
    let compared = held.iter().filter_map(|row| row.compared_with);
    let compared = rows_by_number(service, compared).await?;
    let message = |row: Row| proto::HeldReport {
        last_counted: (row.compared_with)
            .and_then(|id| compared.get(&id))
            .map(report_message),
        report: Some(report_message(&row)),
        held: row.held.unwrap_or_default(),
    };
    Ok(proto::ListHeldReportsResponse {
        reports: held.into_iter().map(message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}

async fn rows_by_number(
    service: &Service,
    numbers: impl Iterator<Item = i64>,
) -> Result<HashMap<i64, Row>, Fault> {
    let numbers: Vec<i64> = numbers.collect();
    let limit = i64::try_from(numbers.len()).unwrap_or(i64::MAX);
    let rows = reports::list(&service.pool, Selection::Numbers(&numbers), limit).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// An approval needs no reason.
pub(super) async fn approve(
    service: &Service,
    by: AuthorizedAction,
    request: proto::ApproveReportRequest,
) -> Result<proto::ApproveReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        verdict: Verdict::Approve,
        reason: reason(&request.reason)?,
    };
    let unchanged = !review::decide(&service.producer, &by, &review).await?;
    Ok(proto::ApproveReportResponse { unchanged })
}

pub(super) async fn reject(
    service: &Service,
    by: AuthorizedAction,
    request: proto::RejectReportRequest,
) -> Result<proto::RejectReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        verdict: Verdict::Reject,
        reason: required_reason(&request.reason)?,
    };
    let unchanged = !review::decide(&service.producer, &by, &review).await?;
    Ok(proto::RejectReportResponse { unchanged })
}
