//! The reports of a game, for an owner of the game's page and for staff.

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
    let (reports, next) = of_game(pool, game.id, &page).await?;
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
) -> Result<(Vec<proto::OwnReport>, Option<String>), Fault> {
    let after = page.after.map(|(SortTime(at), id)| (at, id));
    let ids = reports::of_game(pool, game, after, page.rows_to_fetch()).await?;
    let mut rows = reports::find(pool, &ids).await?;
    let next = page.cut(&mut rows, |row| (SortTime(row.at), row.id))?;
    Ok((rows.into_iter().map(own_report).collect(), next))
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

/// A report without the name of the member who decided. The reason is shown only if the report was rejected: other reasons are notes for
/// staff.
fn own_report(row: Row) -> proto::OwnReport {
    let state = match row.state {
        ReportState::Counted => proto::ReportState::Counted,
        ReportState::Held => proto::ReportState::Held,
        ReportState::Rejected => proto::ReportState::Rejected,
    };
    let is_rejected = row.state == ReportState::Rejected;
    proto::OwnReport {
        report: Some(report_message(&row)),
        state: state.into(),
        decided_at: row.decided_at.map(timestamp::encode),
        reason: row.reason.filter(|_| is_rejected).unwrap_or_default(),
        held: row.held.unwrap_or_default(),
    }
}
