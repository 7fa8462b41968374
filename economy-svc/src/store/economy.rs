//! Computes the listed currencies of now from reports, names and swaps. Nothing derived from these is stored.

use std::collections::HashMap;

use sqlx::{Connection as _, PgConnection};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::reports::counted_report_of_row;
use super::version::{self, Version};
use crate::domain::economy::{DAY, Economy, ListedCurrency, Pair, TRADE_WINDOW, valid_until};
use crate::domain::figures::Figures;
use crate::domain::market::Market;

/// Loads the current live economy and the version of the data, in one transaction.
///
/// The economy has every row, also one whose time is after `now`: rows have PostgreSQL's time,
/// which may be ahead of this clock. A currency without a report for `late_after` is late.
pub async fn load(
    connection: &mut PgConnection,
    now: OffsetDateTime,
    late_after: Duration,
) -> Result<(Version, Economy), sqlx::Error> {
    let begin = "begin isolation level repeatable read read only";
    let mut transaction = connection.begin_with(begin).await?;
    let version = version::read(&mut *transaction).await?;
    let (mut currencies, indexes) = listed_currencies(&mut transaction, now - DAY).await?;
    for (game, units) in trade_balances(&mut transaction, now - TRADE_WINDOW).await? {
        if let Some(currency) = indexes.get(&game).and_then(|index| currencies.get_mut(*index)) {
            currency.trade_balance = units;
        }
    }
    let markets_now = markets(&mut transaction, now - DAY, None, &indexes).await?;
    let markets_day_before =
        markets(&mut transaction, now - DAY * 2, Some(now - DAY), &indexes).await?;
    let [reported, swapped_today, swapped_lately, traded] =
        oldest_events(&mut transaction, now).await?;
    transaction.commit().await?;
    let of_rates = [(reported, DAY), (swapped_today, DAY), (swapped_lately, DAY * 2)];
    let newest = currencies.iter().map(|currency| currency.newest.at);
    let late = newest.map(|at| (Some(at), late_after));
    let economy = Economy {
        rates_until: valid_until(now, of_rates),
        currencies_until: valid_until(now, late.chain([(traded, TRADE_WINDOW)])),
        currencies,
        markets: markets_now,
        markets_day_before,
    };
    Ok((version, economy))
}

/// The listed currencies by slug, and the index of each game's currency.
async fn listed_currencies(
    connection: &mut PgConnection,
    day_before: OffsetDateTime,
) -> Result<(Vec<ListedCurrency>, HashMap<Uuid, usize>), sqlx::Error> {
    let rows = sqlx::query!(
        r#"select game.id, game.slug, game.title, currency.name as currency, before.cost as "cost_before?",
               report.at as "at!", report.previous_at as "previous_at?", report.new_unit as "new_unit!", report.supply as "supply!",
               report.minted as "minted!", report.burned as "burned!",
               report.meal as "meal!", report.ride as "ride!", report.wage as "wage!", report.rent as "rent!",
               report.output as "output!", report.active_players as "active_players!",
               report.policy_rate as "policy_rate?", report.naira_per_unit as "naira_per_unit?"
           from economy.currency
           join economy.game on game.id = currency.game_id and game.mode = 'live' and game.published
           join lateral (
               select at, supply, minted, burned, meal, ride, wage, rent, output, active_players,
                   policy_rate, naira_per_unit, id, previous_at, new_unit
               from economy.report where game_id = currency.game_id and counted
               order by at desc, id desc limit 2
           ) as report on true
           left join lateral (
               select cost from economy.report where game_id = currency.game_id and counted and at <= $1
                   and at >= coalesce((select since from economy.current_unit where game_id = currency.game_id), '-infinity')
               order by at desc, id desc limit 1
           ) as before on true
           order by game.slug collate "C", report.at desc, report.id desc"#,
        day_before
    )
    .fetch_all(connection)
    .await?;
    let mut currencies: Vec<ListedCurrency> = Vec::new();
    let mut indexes = HashMap::new();
    for row in rows {
        let counted = counted_report_of_row!(row);
        // The second row of a currency is the counted report before the newest.
        if indexes.contains_key(&row.id) {
            if let Some(currency) = currencies.last_mut() {
                currency.figures = Figures::new(&currency.newest, Some(&counted));
            }
            continue;
        }
        indexes.insert(row.id, currencies.len());
        currencies.push(ListedCurrency {
            slug: row.slug,
            title: row.title,
            currency: row.currency,
            figures: Figures::new(&counted, None),
            newest: counted,
            cost_day_before: row.cost_before.map(i64::unsigned_abs),
            trade_balance: 0,
        });
    }
    Ok((currencies, indexes))
}

/// Current units of each currency that were given in after `from`, less the units that were given out.
async fn trade_balances(
    connection: &mut PgConnection,
    from: OffsetDateTime,
) -> Result<Vec<(Uuid, i128)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select game as "game!", sum(units)::text as "units!"
           from (
               select from_game as game, gave as units, at from economy.swap where at > $1
               union all
               select to_game, -got, at from economy.swap where at > $1
           ) as moved
           left join economy.current_unit as unit on unit.game_id = moved.game
           where unit.since is null or moved.at >= unit.since
           group by game"#,
        from
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.game, row.units.parse().unwrap_or(0))).collect())
}

/// The swaps of current units after `from`, per pair, and up to `to`, if that is given.
async fn markets(
    connection: &mut PgConnection,
    from: OffsetDateTime,
    to: Option<OffsetDateTime>,
    indexes: &HashMap<Uuid, usize>,
) -> Result<HashMap<Pair, Market>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select least(from_game, to_game) as "one!", greatest(from_game, to_game) as "other!",
               count(*) as "swaps!", count(distinct party) as "parties!", max(at) as "last!",
               sum(case when from_game < to_game then gave else got end)::text as "units_of_one!",
               sum(case when from_game < to_game then got else gave end)::text as "units_of_other!"
           from economy.swap
           left join economy.current_unit as unit_from on unit_from.game_id = from_game
           left join economy.current_unit as unit_to on unit_to.game_id = to_game
           where at > $1 and ($2::timestamptz is null or at <= $2)
               and (unit_from.since is null or at >= unit_from.since) and (unit_to.since is null or at >= unit_to.since)
           group by 1, 2"#,
        from,
        to
    )
    .fetch_all(connection)
    .await?;
    let mut markets = HashMap::new();
    for row in rows {
        let (Some(&one), Some(&other)) = (indexes.get(&row.one), indexes.get(&row.other)) else {
            continue;
        };
        let units = |text: &str| text.parse().unwrap_or(0_i128);
        let (first, second) = (units(&row.units_of_one), units(&row.units_of_other));
        // The query orders a pair by game id, `Pair` by slug.
        let (first, second) = if one < other { (first, second) } else { (second, first) };
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

/// The times of the oldest counted report of the last day, and of the oldest swaps of the last day, the last two days and the trade window.
/// Events after `at` count as within these.
async fn oldest_events(
    connection: &mut PgConnection,
    at: OffsetDateTime,
) -> Result<[Option<OffsetDateTime>; 4], sqlx::Error> {
    let rows = sqlx::query!(
        r#"select
               (select min(at) from economy.report where counted and at > $1) as reported,
               (select min(at) from economy.swap where at > $1) as swapped_today,
               (select min(at) from economy.swap where at > $2) as swapped_lately,
               (select min(at) from economy.swap where at > $3) as traded"#,
        at - DAY,
        at - (DAY + DAY),
        at - TRADE_WINDOW
    )
    .fetch_one(connection)
    .await?;
    Ok([rows.reported, rows.swapped_today, rows.swapped_lately, rows.traded])
}
