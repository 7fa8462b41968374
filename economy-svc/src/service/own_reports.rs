//! The reports of a game, for an owner of the game's page and for staff.

use contracts::common::v1::Ended;
use contracts::economy::v1 as proto;
use kit::Fault;
use kit::api::cursor::SortTime;
use kit::api::page::Page;
use kit::api::timestamp;
use sqlx::PgPool;
use uuid::Uuid;

use super::games::{owned_game, parse_account};
use super::page;
use crate::domain::report_state::ReportState;
use crate::store::reports::{self, Row};

pub(super) async fn list(
    pool: &PgPool,
    request: proto::ListOwnReportsRequest,
) -> Result<proto::ListOwnReportsResponse, Fault> {
    let account = parse_account(&request.account_id)?;
    let game = owned_game(pool, account, &request.game).await?;
    let filters = [request.account_id.as_str(), request.game.as_str()];
    let page = page::read("own reports", filters, request.page)?;
    let (rows, next) = of_game(pool, game.id, &page).await?;
    let reports = rows.iter().map(own_report).collect();
    Ok(proto::ListOwnReportsResponse { reports, page: Some(page::info(next)) })
}

/// The most games with held reports that an account reads.
const MAX_HELD: i64 = 100;

pub(super) async fn list_held(
    pool: &PgPool,
    request: proto::ListOwnHeldReportsRequest,
) -> Result<proto::ListOwnHeldReportsResponse, Fault> {
    let account = parse_account(&request.account_id)?;
    let held = reports::held_of_account(pool, account, MAX_HELD).await?.into_iter();
    let message = |row: reports::HeldReport| proto::OwnHeldReport {
        game: row.slug,
        title: row.title,
        at: Some(timestamp::encode(row.at)),
        held: row.held,
    };
    Ok(proto::ListOwnHeldReportsResponse { reports: held.map(message).collect() })
}

/// A page of the reports of a game, the newest first, and the cursor of the next page.
pub(super) async fn of_game(
    pool: &PgPool,
    game: Uuid,
    page: &Page<(SortTime, i64)>,
) -> Result<(Vec<Row>, Option<String>), Fault> {
    let after = page.after.map(|(SortTime(at), id)| (at, id));
    let ids = reports::of_game(pool, game, after, page.rows_to_fetch()).await?;
    let mut rows = reports::find(pool, &ids).await?;
    let next = page.cut(&mut rows, |row| (SortTime(row.at), row.id))?;
    Ok((rows, next))
}

/// The message of a report, for staff and the owners of its game.
pub(super) fn report_message(row: &Row) -> proto::Report {
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
        policy_rate: report.policy_rate,
        naira_per_unit: report.naira_per_unit,
    }
}

/// A report without the name of the member who decided. Owners read why a report never counts; the
/// reason for an approval is a note for staff.
fn own_report(row: &Row) -> proto::OwnReport {
    let state = match row.state {
        ReportState::Counted => proto::ReportState::Counted,
        ReportState::Held => proto::ReportState::Held,
        ReportState::Rejected => proto::ReportState::Rejected,
        ReportState::Retracted => proto::ReportState::Retracted,
    };
    let is_ended = matches!(row.state, ReportState::Rejected | ReportState::Retracted);
    let decision = row.decision.as_ref();
    // If a report was never held, staff decided only on its unit.
    let approval = decision.filter(|_| row.state == ReportState::Counted && row.held.is_some());
    proto::OwnReport {
        report: Some(report_message(row)),
        state: state.into(),
        approved_at: approval.map(|decision| timestamp::encode(decision.at)),
        ended: decision.filter(|_| is_ended).map(|decision| Ended {
            // Only staff end a report.
            by_account: String::new(),
            at: Some(timestamp::encode(decision.at)),
            reason: decision.reason.clone(),
        }),
        held: row.held.clone().unwrap_or_default(),
    }
}

/// A report with the last decision on it and its member.
pub(super) fn staff_report(row: Row) -> proto::StaffReport {
    let report = Some(own_report(&row));
    let (new_unit, decision) = (row.new_unit, row.decision);
    let decided_at = decision.as_ref().map(|decision| timestamp::encode(decision.at));
    let (decided_by, note) =
        decision.map(|decision| (decision.by, decision.reason)).unwrap_or_default();
    proto::StaffReport { report, new_unit, decided_by, decided_at, note }
}
