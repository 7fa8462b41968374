//! `economy.report`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::figures::CountedReport;
use crate::domain::report::Report;
use crate::domain::report_state::ReportState;

/// The [`Report`] in a row. Each checked query has its own row type; macros serve them all.
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

/// The [`CountedReport`] in a row.
macro_rules! counted_report_of_row {
    ($row:expr) => {
        $crate::domain::figures::CountedReport {
            at: $row.at,
            previous_at: $row.previous_at,
            new_unit: $row.new_unit,
            report: $crate::store::reports::report_of_row!($row),
        }
    };
}
pub(super) use {counted_report_of_row, report_of_row};

/// A counted report.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: i64,
    pub counted: CountedReport,
}

/// The reports that a new report of the game is compared with.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// The time of the newest report, whether it counts or not.
    pub newest_at: Option<OffsetDateTime>,
    /// The newest counted report.
    pub last_counted: Option<Entry>,
}

pub async fn baseline(connection: &mut PgConnection, game: Uuid) -> Result<Baseline, sqlx::Error> {
    let newest = sqlx::query!(
        r#"select id as "id!", at as "at!", counted as "counted!", previous_at, new_unit as "new_unit!", supply as "supply!", minted as "minted!",
               burned as "burned!", meal as "meal!", ride as "ride!", wage as "wage!", rent as "rent!", output as "output!",
               active_players as "active_players!", policy_rate, naira_per_unit
           from (
               (select * from economy.report where game_id = $1 order by at desc, id desc limit 1)
               union all
               (select * from economy.report where game_id = $1 and counted order by at desc, id desc limit 1)
           ) as newest"#,
        game
    )
    .fetch_all(connection)
    .await?;
    let newest_at = newest.iter().map(|row| row.at).max();
    let last_counted = newest.into_iter().find(|row| row.counted);
    let entry = last_counted.map(|row| Entry { id: row.id, counted: counted_report_of_row!(row) });
    Ok(Baseline { newest_at, last_counted: entry })
}

/// Inserts a report, and returns its number. `previous_at` is the time of the game's report before this one. A report that is held has the
/// reason, and the number of the report that it was compared with.
pub async fn insert(
    connection: &mut PgConnection,
    game: Uuid,
    at: OffsetDateTime,
    previous_at: Option<OffsetDateTime>,
    report: &Report,
    held: Option<(&str, i64)>,
) -> Result<i64, sqlx::Error> {
    let (reason, compared_with) = held.unzip();
    sqlx::query_scalar!(
        "with change as (
             update economy.currency set changes = changes + 1 where game_id = $1 and $15
         )
         insert into economy.report (
             game_id, at, supply, minted, burned, meal, ride, wage, rent, cost, output, active_players,
             policy_rate, naira_per_unit, counted, held, compared_with, previous_at
         )
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
         returning id",
        game,
        at,
        report.supply.cast_signed(),
        report.minted.cast_signed(),
        report.burned.cast_signed(),
        report.basket.meal.cast_signed(),
        report.basket.ride.cast_signed(),
        report.basket.wage.cast_signed(),
        report.basket.rent.cast_signed(),
        report.basket.cost().cast_signed(),
        report.output.cast_signed(),
        report.active_players.cast_signed(),
        report.policy_rate,
        report.naira_per_unit,
        held.is_none(),
        reason,
        compared_with,
        previous_at,
    )
    .fetch_one(connection)
    .await
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
    pub new_unit: bool,
    pub decision: Option<ReportDecision>,
}

/// The last decision of staff on a report.
#[derive(Debug, Clone)]
pub struct ReportDecision {
    pub by: String,
    pub at: OffsetDateTime,
    pub reason: String,
}

/// The numbers of the held reports after this one, the lowest first, without those of games that listings-svc does not have any more.
pub async fn held(pool: &PgPool, after: Option<i64>, limit: i64) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select report.id from economy.report join economy.game on game.id = report.game_id
         where not counted and not rejected and not retracted and ($1::bigint is null or report.id > $1)
         order by report.id limit $2",
        after,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A held report, with its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldReport {
    pub slug: String,
    pub title: String,
    pub at: OffsetDateTime,
    /// Why it is held.
    pub held: String,
}

/// The oldest held report of each live game of an account, ordered by number.
pub async fn held_of_account(
    pool: &PgPool,
    account: Uuid,
    limit: i64,
) -> Result<Vec<HeldReport>, sqlx::Error> {
    sqlx::query_as!(
        HeldReport,
        r#"select slug, title, at, held as "held!"
           from (
               select distinct on (game.id) report.id, slug, title, report.at, held
               from economy.report join economy.game on game.id = report.game_id join economy.page on page.id = game.page_id
               where not counted and not rejected and not retracted and mode = 'live' and owners @> array[$1::uuid]
               order by game.id, report.id
           ) as oldest
           order by id limit $2"#,
        account,
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
             active_players, policy_rate, naira_per_unit, held, compared_with, counted, rejected, retracted, new_unit, decided_by, decided_at, reason
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
            state: ReportState::from_columns(row.counted, row.rejected, row.retracted),
            new_unit: row.new_unit,
            decision: row.decided_by.zip(row.decided_at).map(|(by, at)| ReportDecision {
                by,
                at,
                reason: row.reason.unwrap_or_default(),
            }),
        })
        .collect())
}
