//! `economy.report`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::basket::Basket;
use crate::domain::report::Report;
use crate::domain::report_state::ReportState;

/// The reports that a new report of the game is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// The time of the newest report, whether it counts or not.
    pub newest_at: Option<OffsetDateTime>,
    pub last_counted: Option<LastCountedReport>,
}

/// The newest counted report of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastCountedReport {
    pub id: i64,
    pub at: OffsetDateTime,
    pub basket: Basket,
}

/// Always returns one row: both reports are left-joined to a row without columns.
pub async fn baseline(connection: &mut PgConnection, game: Uuid) -> Result<Baseline, sqlx::Error> {
    let row = sqlx::query!(
        r#"select newest.at as "newest_at?", id as "id?", meal as "meal?", ride as "ride?", wage as "wage?", rent as "rent?", counted.at as "at?"
           from (select) as one left join lateral (
               select at from economy.report where game_id = $1 order by at desc, id desc limit 1
           ) as newest on true left join lateral (
               select id, meal, ride, wage, rent, at from economy.report
               where game_id = $1 and counted order by at desc, id desc limit 1
           ) as counted on true"#,
        game
    )
    .fetch_one(connection)
    .await?;
    let prices = (row.meal.zip(row.ride)).zip(row.wage.zip(row.rent));
    let basket = prices.map(|((meal, ride), (wage, rent))| Basket {
        meal: meal.unsigned_abs(),
        ride: ride.unsigned_abs(),
        wage: wage.unsigned_abs(),
        rent: rent.unsigned_abs(),
    });
    let last_counted = row.id.zip(basket).zip(row.at);
    Ok(Baseline {
        newest_at: row.newest_at,
        last_counted: last_counted.map(|((id, basket), at)| LastCountedReport { id, at, basket }),
    })
}

/// A report to insert.
#[derive(Debug)]
pub struct NewReport<'a> {
    pub game: Uuid,
    pub at: OffsetDateTime,
    /// The time of the game's report before this one, unless this is the first.
    pub previous_at: Option<OffsetDateTime>,
    pub report: &'a Report,
    /// Why the report is held, and the number of the report that it was compared with.
    pub held: Option<(&'a str, i64)>,
}

/// Returns the report's number.
pub async fn insert(connection: &mut PgConnection, new: NewReport<'_>) -> Result<i64, sqlx::Error> {
    let Report {
        supply,
        minted,
        burned,
        basket,
        output,
        active_players,
        policy_rate,
        naira_per_unit,
    } = new.report;
    sqlx::query_scalar!(
        "insert into economy.report (
             game_id, at, supply, minted, burned, meal, ride, wage, rent, cost, output, active_players,
             policy_rate, naira_per_unit, counted, held, compared_with, previous_at
         )
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
         returning id",
        new.game,
        new.at,
        supply.cast_signed(),
        minted.cast_signed(),
        burned.cast_signed(),
        basket.meal.cast_signed(),
        basket.ride.cast_signed(),
        basket.wage.cast_signed(),
        basket.rent.cast_signed(),
        basket.cost().cast_signed(),
        output.cast_signed(),
        active_players.cast_signed(),
        *policy_rate,
        *naira_per_unit,
        new.held.is_none(),
        new.held.map(|(reason, _)| reason),
        new.held.map(|(_, compared_with)| compared_with),
        new.previous_at,
    )
    .fetch_one(connection)
    .await
}

/// Gives the reports of a game that lie in the future the time `now`.
pub async fn end_future(
    connection: &mut PgConnection,
    game: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update economy.report set at = $2, previous_at = least(previous_at, $2) where game_id = $1 and at > $2",
        game,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A report as staff and the owners of its game see it.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: i64,
    pub slug: String,
    pub currency: String,
    pub at: OffsetDateTime,
    pub report: Report,
    pub held: Option<String>,
    pub compared_with: Option<i64>,
    pub state: ReportState,
    /// When staff decided on it, and why.
    pub decided_at: Option<OffsetDateTime>,
    pub reason: Option<String>,
}

/// The numbers of the held reports after this one, the lowest first, without those of games that listings-svc does not have any more.
pub async fn held(pool: &PgPool, after: Option<i64>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select report.id from economy.report join economy.game on game.id = report.game_id
         where not counted and not rejected and ($1::bigint is null or report.id > $1)
         order by report.id limit $2",
        after,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The numbers of the reports of a game, the newest first, after the one with this time and number.
pub async fn of_game(
    pool: &PgPool,
    game: Uuid,
    after: Option<(OffsetDateTime, i64)>,
    limit: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    let (after, after_id) = after.unzip();
    sqlx::query_scalar!(
        "select id from economy.report
         where game_id = $1 and ($2::timestamptz is null or (at, id) < ($2, $3::bigint))
         order by at desc, id desc limit $4",
        game,
        after,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The reports with these numbers, in their order.
pub async fn find(pool: &PgPool, ids: &[i64]) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query!(
        "select report.id, game.slug, currency.name as currency, report.at, supply, minted, burned, meal, ride, wage, rent, output,
             active_players, policy_rate, naira_per_unit, held, compared_with, counted, rejected, decided_at, reason
         from economy.report join economy.game on game.id = report.game_id join economy.currency on currency.game_id = report.game_id
         where report.id = any ($1) order by array_position($1, report.id)",
        ids
    )
    .fetch_all(pool)
    .await?;
    Ok((rows.into_iter())
        .map(|row| Row {
            id: row.id,
            slug: row.slug,
            currency: row.currency,
            at: row.at,
            report: report_of_row!(row),
            held: row.held,
            compared_with: row.compared_with,
            state: ReportState::from_columns(row.counted, row.rejected),
            decided_at: row.decided_at,
            reason: row.reason,
        })
        .collect())
}

/// The [`Report`] in a row. Each checked query has its own row type; a macro serves them all.
macro_rules! report_of_row {
    ($row:expr) => {
        $crate::domain::report::Report {
            supply: $row.supply.unsigned_abs(),
            minted: $row.minted.unsigned_abs(),
            burned: $row.burned.unsigned_abs(),
            basket: $crate::domain::basket::Basket {
                meal: $row.meal.unsigned_abs(),
                ride: $row.ride.unsigned_abs(),
                wage: $row.wage.unsigned_abs(),
                rent: $row.rent.unsigned_abs(),
            },
            output: $row.output.unsigned_abs(),
            active_players: $row.active_players.unsigned_abs(),
            policy_rate: $row.policy_rate,
            naira_per_unit: $row.naira_per_unit,
        }
    };
}
pub(super) use report_of_row;
