//! Computes the listed currencies at a moment from reports, names and swaps. Nothing derived from these is stored.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::reports::report_of_row;
use super::version::{self, Version};
use crate::domain::economy::{DAY, Economy, ListedCurrency, Pair, TRADE, valid_until};
use crate::domain::figures::{CountedReport, Figures};
use crate::domain::swap::Market;

/// Loads the live economy at `at`, from what is stored now, with the version of what is stored: one snapshot of the database. A currency
/// without a report for `late` is late.
pub async fn load(
    pool: &PgPool,
    at: OffsetDateTime,
    late: Duration,
) -> Result<(Version, Economy), sqlx::Error> {
    let begin = "begin isolation level repeatable read read only";
    let mut snapshot = pool.begin_with(begin).await?;
    let version = version::read(&mut *snapshot).await?;
    let (mut currencies, indexes) = listed_currencies(&mut snapshot, at).await?;
    for (game, units) in trade_balances(&mut snapshot, at).await? {
        if let Some(currency) = indexes
            .get(&game)
            .and_then(|index| currencies.get_mut(*index))
        {
            currency.trade_balance = units;
        }
    }
    let markets_now = markets(&mut snapshot, at, &indexes).await?;
    let markets_day_before = markets(&mut snapshot, at - DAY, &indexes).await?;
    let oldest = oldest_events(&mut snapshot, at, late).await?;
    let economy = Economy {
        currencies,
        markets: markets_now,
        markets_day_before,
        valid_until: valid_until(at, oldest),
    };
    Ok((version, economy))
}

/// The listed currencies by slug, and the index of each game's currency.
async fn listed_currencies(
    connection: &mut PgConnection,
    at: OffsetDateTime,
) -> Result<(Vec<ListedCurrency>, HashMap<Uuid, usize>), sqlx::Error> {
    let rows = sqlx::query!(
        r#"select game.id, game.slug, game.title, name.name as "currency!", before.cost as "cost_before?",
               report.at as "at!", report.supply as "supply!", report.minted as "minted!", report.burned as "burned!",
               report.meal as "meal!", report.ride as "ride!", report.wage as "wage!", report.rent as "rent!",
               report.output as "output!", report.active_players as "active_players!",
               report.policy_rate as "policy_rate?", report.naira_per_unit as "naira_per_unit?"
           from economy.game
           join lateral (
               select name from economy.currency_name where game_id = game.id and since <= $1 order by since desc limit 1
           ) as name on true
           join lateral (
               select at, supply, minted, burned, meal, ride, wage, rent, output, active_players,
                   policy_rate::text, naira_per_unit::text, id
               from economy.report where game_id = game.id and counted and at <= $1 order by at desc, id desc limit 3
           ) as report on true
           left join lateral (
               select cost from economy.report where game_id = game.id and counted and at <= $2 order by at desc, id desc limit 1
           ) as before on true
           where game.mode = 'live' and game.published
           order by game.slug collate "C", report.at desc, report.id desc"#,
        at,
        at - DAY
    )
    .fetch_all(connection)
    .await?;
    let mut currencies: Vec<ListedCurrency> = Vec::new();
    let mut indexes = HashMap::new();
    let mut newest: Vec<CountedReport> = Vec::new();
    for row in rows {
        let counted = CountedReport {
            at: row.at,
            report: report_of_row!(row),
        };
        if let Entry::Vacant(entry) = indexes.entry(row.id) {
            newest.clear();
            entry.insert(currencies.len());
            currencies.push(ListedCurrency {
                slug: row.slug,
                title: row.title,
                currency: row.currency,
                newest: counted.clone(),
                figures: Figures::of(&[]),
                cost_day_before: row.cost_before.map(i64::unsigned_abs),
                trade_balance: 0,
            });
        }
        newest.push(counted);
        if let Some(last) = currencies.last_mut() {
            last.figures = Figures::of(&newest);
        }
    }
    Ok((currencies, indexes))
}

/// Units of each currency given in over 30 days, less units given out.
async fn trade_balances(
    connection: &mut PgConnection,
    at: OffsetDateTime,
) -> Result<Vec<(Uuid, i128)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select game as "game!", sum(units)::text as "units!"
           from (
               select from_game as game, sum(gave) as units from economy.swap where at > $1 and at <= $2 group by from_game
               union all
               select to_game, -sum(got) from economy.swap where at > $1 and at <= $2 group by to_game
           ) as moved
           group by game"#,
        at - TRADE,
        at
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.game, row.units.parse().unwrap_or(0)))
        .collect())
}

/// The swaps of the 24 hours before `at`, per pair.
async fn markets(
    connection: &mut PgConnection,
    at: OffsetDateTime,
    indexes: &HashMap<Uuid, usize>,
) -> Result<HashMap<Pair, Market>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select least(from_game, to_game) as "one!", greatest(from_game, to_game) as "other!",
               count(*) as "swaps!", count(distinct party) as "parties!", max(at) as "last!",
               sum(case when from_game < to_game then gave else got end)::text as "units_of_one!",
               sum(case when from_game < to_game then got else gave end)::text as "units_of_other!"
           from economy.swap where at > $1 and at <= $2
           group by 1, 2"#,
        at - DAY,
        at
    )
    .fetch_all(connection)
    .await?;
    let mut markets = HashMap::new();
    for row in rows {
        let (Some(&one), Some(&other)) = (indexes.get(&row.one), indexes.get(&row.other)) else {
            continue;
        };
        let units = |text: &str| text.parse().unwrap_or(0_u128);
        let (first, second) = (units(&row.units_of_one), units(&row.units_of_other));
        // The query orders a pair by game id, `Pair` by slug.
        let (first, second) = if one < other {
            (first, second)
        } else {
            (second, first)
        };
        let market = Market {
            swaps: row.swaps.unsigned_abs(),
            parties: row.parties.unsigned_abs(),
            first,
            second,
            last: row.last,
        };
        markets.insert((one.min(other), one.max(other)), market);
    }
    Ok(markets)
}

/// The oldest event within each time window, and the window's length.
async fn oldest_events(
    connection: &mut PgConnection,
    at: OffsetDateTime,
    late: Duration,
) -> Result<Vec<(OffsetDateTime, Duration)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select
               (select min(at) from economy.report where counted and at > $1 and at <= $5) as reported_today,
               (select min(at) from economy.report where counted and at > $2 and at <= $5) as reported_in_time,
               (select min(at) from economy.swap where at > $1 and at <= $5) as swapped_today,
               (select min(at) from economy.swap where at > $3 and at <= $5) as swapped_lately,
               (select min(at) from economy.swap where at > $4 and at <= $5) as traded"#,
        at - DAY,
        at - late,
        at - (DAY + DAY),
        at - TRADE,
        at
    )
    .fetch_one(connection)
    .await?;
    let windows = [
        (rows.reported_today, DAY),
        (rows.reported_in_time, late),
        (rows.swapped_today, DAY),
        (rows.swapped_lately, DAY * 2),
        (rows.traded, TRADE),
    ];
    Ok(windows
        .into_iter()
        .filter_map(|(at, window)| Some((at?, window)))
        .collect())
}
