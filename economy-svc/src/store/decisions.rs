//! The decisions of staff on reports.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::report_state::ReportState;

/// The state of a report, and its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewedReport {
    pub game_id: Uuid,
    pub state: ReportState,
    pub new_unit: bool,
}

/// The report with this number.
pub async fn find(
    connection: &mut PgConnection,
    id: i64,
) -> Result<Option<ReviewedReport>, sqlx::Error> {
    let row = sqlx::query!(
        "select game_id, counted, rejected, retracted, new_unit from economy.report where id = $1",
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| ReviewedReport {
        game_id: row.game_id,
        state: ReportState::from_columns(row.counted, row.rejected, row.retracted),
        new_unit: row.new_unit,
    }))
}

/// A decision of staff on a report.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The state from now on.
    pub state: ReportState,
    pub new_unit: bool,
    pub by: &'a str,
    pub reason: &'a str,
}

/// Decides on a report.
pub async fn decide(
    connection: &mut PgConnection,
    id: i64,
    decision: Decision<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    // A report that did not count, and does not now, changes no rate.
    sqlx::query!(
        "with change as (
             update economy.currency set changes = changes + 1
             where game_id = (select game_id from economy.report where id = $1 and (counted or $2))
         )
         update economy.report set counted = $2, new_unit = $3, decided_by = $4, decided_at = $5, reason = $6, rejected = $7, retracted = $8
         where id = $1",
        id,
        decision.state == ReportState::Counted,
        decision.new_unit,
        decision.by,
        now,
        decision.reason,
        decision.state == ReportState::Rejected,
        decision.state == ReportState::Retracted,
    )
    .execute(connection)
    .await?;
    Ok(())
}
