//! Reports that wait for a decision of staff, and the decisions.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// A held report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldReport {
    pub id: i64,
    /// The number of the game's oldest held report.
    pub oldest: i64,
    /// How many older reports of the game are held.
    pub older: i64,
}

/// The newest held report of each game, the game that waits longest first, after the game whose oldest held report has the number `after`.
///
/// Numbers of reports rise with time.
pub async fn newest_of_games(
    pool: &PgPool,
    after: Option<i64>,
    limit: i64,
) -> Result<Vec<HeldReport>, sqlx::Error> {
    sqlx::query_as!(
        HeldReport,
        r#"select max(id) as "id!", min(id) as "oldest!", count(*) - 1 as "older!"
           from economy.report where not counted and not rejected
           group by game_id having $1::bigint is null or min(id) > $1
           order by min(id) limit $2"#,
        after,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The held reports of a game below the number `before`, newest first.
pub async fn of_game(
    pool: &PgPool,
    game: Uuid,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<HeldReport>, sqlx::Error> {
    sqlx::query_as!(
        HeldReport,
        r#"select id, min(id) over up_to_it as "oldest!", count(*) over up_to_it - 1 as "older!"
           from economy.report
           where game_id = $1 and not counted and not rejected and ($2::bigint is null or id < $2)
           window up_to_it as (order by id)
           order by id desc limit $3"#,
        game,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Whether a report counts, was rejected, or (neither) is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewState {
    pub game_id: Uuid,
    pub counted: bool,
    pub rejected: bool,
}

/// The state of the report with this number, if there is one.
pub async fn review_state(
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
