//! Held reports, the decisions on them, and reports whose supply differs.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::audit::reason;
use kit::cursor::SortTime;
use kit::page::Page;

use super::{Service, required_reason};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::page;
use crate::service::report_message::report_message;
use crate::store::held_reports::{self, HeldReport};
use crate::store::reports::{self, Row, Selection};
use crate::write::{Command, Outcome, ReviewOutcome, ReviewReport, Verdict};

/// The newest held report of each game, so that a game with many held reports does not hide the others; or the held reports of one game.
pub(super) async fn list_held(
    service: &Service,
    request: proto::ListHeldReportsRequest,
) -> Result<proto::ListHeldReportsResponse, Fault> {
    let filters = [request.game.as_str()];
    let page: Page<i64> = page::read("held reports", filters, request.page)?;
    let (pool, after, limit) = (&service.pool, page.after, page.rows_to_fetch());
    let (held, next_cursor) = if let Some(game) = service.game_filter(&request.game).await? {
        let mut held = held_reports::of_game(pool, game, after, limit).await?;
        let next_cursor = page.cut(&mut held, |held| held.id)?;
        (held, next_cursor)
    } else {
        let mut held = held_reports::newest_of_games(pool, after, limit).await?;
        let next_cursor = page.cut(&mut held, |held| held.oldest)?;
        (held, next_cursor)
    };
    let rows = rows_by_number(service, held.iter().map(|held| held.id)).await?;
    let compared = rows.values().filter_map(|row| row.compared_with);
    let compared = rows_by_number(service, compared).await?;
    let message = |held: HeldReport| {
        let row = rows.get(&held.id)?;
        let last_counted = row.compared_with.and_then(|id| compared.get(&id));
        Some(proto::HeldReport {
            last_counted: last_counted.map(report_message),
            held: row.held.clone().unwrap_or_default(),
            report: Some(report_message(row)),
            older: held.older.unsigned_abs(),
        })
    };
    Ok(proto::ListHeldReportsResponse {
        reports: held.into_iter().filter_map(message).collect(),
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

/// Reports whose supply differs from the supply that the game's report before leads to.
pub(super) async fn list_supply_differences(
    service: &Service,
    request: proto::ListSupplyDifferencesRequest,
) -> Result<proto::ListSupplyDifferencesResponse, Fault> {
    let page: Page<(SortTime, i64)> = page::read("supply", [], request.page)?;
    let selection = Selection::SupplyDiffers(page.after.map(|(SortTime(at), id)| (at, id)));
    let mut rows = reports::list(&service.pool, selection, page.rows_to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| (SortTime(row.at), row.id))?;
    let total = reports::count_supply_differences(&service.pool).await?;
    Ok(proto::ListSupplyDifferencesResponse {
        reports: rows.iter().map(report_message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
        total: total.unsigned_abs(),
    })
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
        with_older: request.with_older,
        reason: reason(&request.reason)?,
    };
    let outcome = decide(service, by, review).await?;
    Ok(proto::ApproveReportResponse {
        unchanged: outcome.is_unchanged(),
        older: outcome.older,
    })
}

pub(super) async fn reject(
    service: &Service,
    by: AuthorizedAction,
    request: proto::RejectReportRequest,
) -> Result<proto::RejectReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        verdict: Verdict::Reject,
        with_older: request.with_older,
        reason: required_reason(&request.reason)?,
    };
    let outcome = decide(service, by, review).await?;
    Ok(proto::RejectReportResponse {
        unchanged: outcome.is_unchanged(),
        older: outcome.older,
    })
}

pub(super) async fn void(
    service: &Service,
    by: AuthorizedAction,
    request: proto::VoidReportRequest,
) -> Result<proto::VoidReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        verdict: Verdict::Void,
        with_older: false,
        reason: required_reason(&request.reason)?,
    };
    let outcome = decide(service, by, review).await?;
    Ok(proto::VoidReportResponse {
        unchanged: outcome.is_unchanged(),
    })
}

async fn decide(
    service: &Service,
    by: AuthorizedAction,
    review: ReviewReport,
) -> Result<ReviewOutcome, Fault> {
    let command = Command::Review(by, review);
    let writing = service.writer.write_as(command, Outcome::try_as_reviewed);
    writing.await
}
