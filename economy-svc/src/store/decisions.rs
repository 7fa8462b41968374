//! The decisions of staff on reports, whether held or counted.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Whether a report counts, was rejected, or (neither) is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewState {
    pub game_id: Uuid,
    pub counted: bool,
    pub rejected: bool,
}

/// The state of the report with this number, if there is one.
pub async fn state(
    connection: &mut PgConnection,
    id: i64,
) -> Result<Option<ReviewState>, sqlx::Error> {
    sqlx::query_as!(
        ReviewState,
        "select game_id, counted, rejected from economy.report where id = $1",
        id
    )
    .fetch_optional(connection)
    .await
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

/// Decides on the held reports of a game whose numbers are below `id`; returns how many there were.
pub async fn decide_below(
    connection: &mut PgConnection,
    game: Uuid,
    id: i64,
    decision: Decision<'_>,
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    let decided = sqlx::query!(
        "update economy.report set counted = $3, rejected = not $3, decided_by = $4, decided_at = $5, reason = $6
         where game_id = $1 and id < $2 and not counted and not rejected",
        game,
        id,
        decision.approved,
        decision.by,
        now,
        decision.reason
    )
    .execute(connection)
    .await?;
    Ok(decided.rows_affected())
}
