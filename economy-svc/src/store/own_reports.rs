//! Reports of a game, for its owner.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::reports::{Row, report_of_row};
use crate::domain::report_state::ReportState;

/// A report and its state.
#[derive(Debug, Clone)]
pub struct OwnReport {
    pub row: Row,
    pub state: ReportState,
    pub decided_at: Option<OffsetDateTime>,
    pub reason: Option<String>,
}

/// The reports of a game after the one with this time and number, the newest first.
pub async fn list(
    pool: &PgPool,
    game: Uuid,
    after: Option<(OffsetDateTime, i64)>,
    limit: i64,
) -> Result<Vec<OwnReport>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    let rows = sqlx::query!(
        r#"select report.id, game.slug,
               economy.currency_name_at(report.game_id, report.at) as "currency!",
               report.at, supply, minted, burned, meal, ride, wage, rent, output, active_players,
               policy_rate::text, naira_per_unit::text, held, compared_with, supply_expected, supply_differs,
               counted, rejected, decided_at, reason
           from economy.report join economy.game on game.id = report.game_id
           where game_id = $1 and ($2::timestamptz is null or (report.at, report.id) < ($2, $3::bigint))
           order by report.at desc, report.id desc limit $4"#,
        game,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().map(|row| OwnReport {
        state: ReportState::from_columns(row.counted, row.rejected),
        decided_at: row.decided_at,
        reason: row.reason,
        row: Row {
            id: row.id,
            slug: row.slug,
            currency: row.currency,
            at: row.at,
            report: report_of_row!(row),
            held: row.held,
            compared_with: row.compared_with,
            supply_expected: row.supply_expected,
            supply_differs: row.supply_differs,
        },
    });
    Ok(rows.collect())
}
