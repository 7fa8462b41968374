//! Reports that wait for a decision of staff.

use sqlx::PgPool;
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
/// The number of a report stands for its age: numbers rise with time.
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
