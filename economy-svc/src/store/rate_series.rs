//! The costs and swaps from which the rate of a pair of currencies is computed, at several times.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::market::Market;
use crate::domain::rates::CountedCost;

/// The games of two currencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GamePair {
    pub from: Uuid,
    pub to: Uuid,
}

/// Both currencies at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub at: OffsetDateTime,
    /// Of the newest counted report.
    pub from: CountedCost,
    pub to: CountedCost,
    /// The swaps of the pair in the 24 hours before; `None`: there was no swap. The first currency is `from`.
    pub market: Option<Market>,
}

/// The pair at each of these times, the oldest first. A time has no row if one of the currencies had no counted report by then.
pub async fn list(
    pool: &PgPool,
    pair: GamePair,
    times: &[OffsetDateTime],
) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select moment.at as "at!", one.cost as "one_cost!", one.at as "one_at!", other.cost as "other_cost!", other.at as "other_at!",
               market.swaps as "swaps!", market.has_parties as "has_parties!", market.last as "last?",
               market.first::text as "first!", market.second::text as "second!"
           from unnest($3::timestamptz[]) as moment (at)
           join lateral (
               select cost, at from economy.report where game_id = $1 and counted and at <= moment.at
               order by at desc, id desc limit 1
           ) as one on true
           join lateral (
               select cost, at from economy.report where game_id = $2 and counted and at <= moment.at
               order by at desc, id desc limit 1
           ) as other on true
           cross join lateral (
               select coalesce(sum(swaps), 0)::bigint as swaps, coalesce(min(first_party collate "C") < max(last_party collate "C"), false) as has_parties,
                   max(last) as last, coalesce(sum(case when from_game = $1 then gave else got end), 0) as first,
                   coalesce(sum(case when from_game = $1 then got else gave end), 0) as second
               from economy.swaps_within(moment.at - interval '24 hours', moment.at)
               where from_game = $1 and to_game = $2 or from_game = $2 and to_game = $1
           ) as market
           order by moment.at"#,
        pair.from,
        pair.to,
        times
    )
    .fetch_all(pool)
    .await?;
    let units = |text: &str| text.parse().unwrap_or(0_u128);
    let rows = rows.into_iter().map(|row| Row {
        at: row.at,
        from: CountedCost {
            cost: row.one_cost.unsigned_abs(),
            at: row.one_at,
        },
        to: CountedCost {
            cost: row.other_cost.unsigned_abs(),
            at: row.other_at,
        },
        market: row.last.map(|last| Market {
            swaps: row.swaps.unsigned_abs(),
            parties: 1 + u64::from(row.has_parties),
            first: units(&row.first),
            second: units(&row.second),
            last,
        }),
    });
    Ok(rows.collect())
}
