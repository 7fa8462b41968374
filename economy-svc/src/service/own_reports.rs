//! The reports of a game, for an owner of the game's page.

use contracts::common::v1::PageInfo;
use contracts::economy::v1 as proto;
use kit::{Fault, timestamp};
use sqlx::PgPool;

use super::currencies::{not_yours, parse_account};
use super::result_page::ResultPage;
use super::staff::reports::message;
use crate::store::games;
use crate::store::own_reports::{self, OwnReport};

pub(super) async fn list(
    pool: &PgPool,
    request: proto::ListOwnReportsRequest,
) -> Result<proto::ListOwnReportsResponse, Fault> {
    let account = parse_account(&request.account_id)?;
    let game = games::find_owned(pool, &request.game, account).await?;
    let game = game.ok_or_else(|| not_yours(&request.game))?;
    let filters = [request.account_id.as_str(), request.game.as_str()];
    let page: ResultPage<(i128, i64)> = ResultPage::read("own reports", filters, request.page)?;
    let mut rows = own_reports::list(pool, game.id, page.after_time()?, page.rows()).await?;
    let next = page.next_cursor(&mut rows, |own| {
        (own.row.at.unix_timestamp_nanos(), own.row.id)
    })?;
    Ok(proto::ListOwnReportsResponse {
        reports: rows.into_iter().map(own_report).collect(),
        page: Some(PageInfo {
            next_cursor: Some(next).filter(|next| !next.is_empty()),
            ..PageInfo::default()
        }),
    })
}

/// A report without the name of the member who decided, and without the notes of staff that are not the reason of a rejection.
fn own_report(own: OwnReport) -> proto::OwnReport {
    let state = match (own.counted, own.rejected) {
        (true, _) => proto::ReportState::Counted,
        (false, true) => proto::ReportState::Rejected,
        (false, false) => proto::ReportState::Held,
    };
    proto::OwnReport {
        report: Some(message(&own.row)),
        state: state.into(),
        decided_at: own.decided_at.map(timestamp::encode),
        reason: own.reason.filter(|_| own.rejected).unwrap_or_default(),
        held: own.row.held.unwrap_or_default(),
    }
}
