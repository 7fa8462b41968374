//! The decisions of staff on reports, whether held or counted.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::report_state::ReportState;

/// The state of a report, and its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewedReport {
    pub game_id: Uuid,
    pub state: ReportState,
}

/// The report with this number.
pub async fn find(
    connection: &mut PgConnection,
    id: i64,
) -> Result<Option<ReviewedReport>, sqlx::Error> {
    let row = sqlx::query!(
        "select game_id, counted, rejected from economy.report where id = $1",
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| ReviewedReport {
        game_id: row.game_id,
        state: ReportState::from_columns(row.counted, row.rejected),
    }))
}

/// A decision of staff on a report.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    pub approved: bool,
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
    sqlx::query!(
        "update economy.report set counted = $2, rejected = not $2, decided_by = $3, decided_at = $4, reason = $5 where id = $1",
        id,
        decision.approved,
        decision.by,
        now,
        decision.reason
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The reports that were decided together with a newer one.
#[derive(Debug, Clone, Copy, Default)]
pub struct OlderReports {
    pub count: u64,
    /// The number of the newest of them.
    pub newest: Option<i64>,
}

/// Decides on the held reports of a game whose numbers are below `id`.
pub async fn decide_below(
    connection: &mut PgConnection,
    game: Uuid,
    id: i64,
    decision: Decision<'_>,
    now: OffsetDateTime,
) -> Result<OlderReports, sqlx::Error> {
    let decided = sqlx::query!(
        r#"with decided as (
             update economy.report set counted = $3, rejected = not $3, decided_by = $4, decided_at = $5, reason = $6
             where game_id = $1 and id < $2 and not counted and not rejected
             returning id
         )
         select count(*) as "count!", max(id) as newest from decided"#,
        game,
        id,
        decision.approved,
        decision.by,
        now,
        decision.reason
    )
    .fetch_one(connection)
    .await?;
    Ok(OlderReports {
        count: decided.count.unsigned_abs(),
        newest: decided.newest,
    })
}
