//! Held reports.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::audit::reason;
use kit::feed::unexpected_outcome;
use kit::{Fault, timestamp};

use super::{Service, required_reason};
use crate::domain::staff_action::By;
use crate::service::result_page::ResultPage;
use crate::store::reports::{self, Row, Selection};
use crate::write::{Command, Outcome, ReviewOutcome, ReviewReport};

/// Held reports in one answer.
const LIMIT: i64 = 100;

pub(super) async fn held(service: &Service) -> Result<Vec<proto::HeldReport>, Fault> {
    let held = reports::list(&service.pool, Selection::Held, LIMIT).await?;
    let compared: Vec<i64> = held.iter().filter_map(|row| row.compared_with).collect();
    let compared = Selection::Numbers(&compared);
    let compared = reports::list(&service.pool, compared, LIMIT).await?;
    let compared: HashMap<i64, Row> = compared.into_iter().map(|row| (row.id, row)).collect();
    Ok((held.into_iter())
        .map(|row| proto::HeldReport {
            last_counted: row
                .compared_with
                .and_then(|id| compared.get(&id))
                .map(message),
            held: row.held.clone().unwrap_or_default(),
            report: Some(message(&row)),
        })
        .collect())
}

/// Reports whose supply differs from what the report before leads to.
pub(super) async fn supply_differences(
    service: &Service,
    request: proto::ListSupplyDifferencesRequest,
) -> Result<proto::ListSupplyDifferencesResponse, Fault> {
    let page: ResultPage<(i128, i64)> = ResultPage::read("supply", [], request.page)?;
    let selection = Selection::SupplyDiffers(page.after_time()?);
    let mut rows = reports::list(&service.pool, selection, page.rows()).await?;
    let next_cursor = page.next_cursor(&mut rows, |row| (row.at.unix_timestamp_nanos(), row.id))?;
    let total = reports::count_supply_differences(&service.pool).await?;
    Ok(proto::ListSupplyDifferencesResponse {
        reports: rows.iter().map(message).collect(),
        next_cursor,
        total: total.unsigned_abs(),
    })
}

pub(in crate::service) fn message(row: &Row) -> proto::Report {
    let report = &row.report;
    proto::Report {
        id: row.id,
        game: row.slug.clone(),
        currency: row.currency.clone(),
        at: Some(timestamp::encode(row.at)),
        supply: report.supply,
        minted: report.minted,
        burned: report.burned,
        meal: report.basket.meal,
        ride: report.basket.ride,
        wage: report.basket.wage,
        rent: report.basket.rent,
        cost: report.basket.cost(),
        output: report.output,
        active_players: report.active_players,
        policy_rate: report.policy_rate.map(|rate| rate.to_string()),
        naira_per_unit: report.naira_per_unit.map(|price| price.to_string()),
        supply_expected: row.supply_expected,
        supply_differs: row.supply_differs,
    }
}

pub(super) async fn approve(
    service: &Service,
    by: By,
    request: proto::ApproveReportRequest,
) -> Result<proto::ApproveReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        approved: true,
        reason: reason(&request.reason)?,
    };
    let unchanged = decide(service, by, review).await?;
    Ok(proto::ApproveReportResponse { unchanged })
}

pub(super) async fn reject(
    service: &Service,
    by: By,
    request: proto::RejectReportRequest,
) -> Result<proto::RejectReportResponse, Fault> {
    let review = ReviewReport {
        report: request.report,
        approved: false,
        reason: required_reason(&request.reason)?,
    };
    let unchanged = decide(service, by, review).await?;
    Ok(proto::RejectReportResponse { unchanged })
}

/// Returns whether the same decision was made before.
async fn decide(service: &Service, by: By, review: ReviewReport) -> Result<bool, Fault> {
    match service.run(Command::Review(by, review)).await? {
        Outcome::Decided(decided) => Ok(decided == ReviewOutcome::Unchanged),
        other => Err(unexpected_outcome(&other)),
    }
}
