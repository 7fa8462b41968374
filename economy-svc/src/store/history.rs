//! The counted reports of a game, ordered by time.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::reports::{Entry, counted_report_of_row};
use crate::domain::figures::CountedReport;

/// Which counted reports of a game are read.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// Inclusive.
    pub from: Option<OffsetDateTime>,
    /// Exclusive.
    pub to: Option<OffsetDateTime>,
    /// Time and number of the last report of the page before.
    pub after: Option<(OffsetDateTime, i64)>,
}

/// Counted reports of a game in the range, the oldest first.
pub async fn list(
    pool: &PgPool,
    game: Uuid,
    range: Range,
    limit: i64,
) -> Result<Vec<Entry>, sqlx::Error> {
    let (after, after_id) = range.after.unzip();
    let rows = sqlx::query!(
        r#"select id, at, previous_at, new_unit, supply, minted, burned, meal, ride, wage, rent, output, active_players,
               policy_rate, naira_per_unit
           from economy.report
           where game_id = $1 and counted
               and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
               and ($4::timestamptz is null or (at, id) > ($4, $5::bigint))
           order by at, id limit $6"#,
        game,
        range.from,
        range.to,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await?;
    let entries =
        rows.into_iter().map(|row| Entry { id: row.id, counted: counted_report_of_row!(row) });
    Ok(entries.collect())
}

/// The number of counted reports from `range.from` to `range.to`.
pub async fn count(pool: &PgPool, game: Uuid, range: Range) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from economy.report
           where game_id = $1 and counted
               and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)"#,
        game,
        range.from,
        range.to
    )
    .fetch_one(pool)
    .await
}

/// The counted report before `entry`.
pub async fn before(
    pool: &PgPool,
    game: Uuid,
    entry: &Entry,
) -> Result<Option<CountedReport>, sqlx::Error> {
    let row = sqlx::query!(
        "select at, previous_at, new_unit, supply, minted, burned, meal, ride, wage, rent, output, active_players,
             policy_rate, naira_per_unit
         from economy.report where game_id = $1 and counted and (at, id) < ($2, $3)
         order by at desc, id desc limit 1",
        game,
        entry.counted.at,
        entry.id
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| counted_report_of_row!(row)))
}
