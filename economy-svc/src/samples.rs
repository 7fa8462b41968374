//! The economy that test keys see (§5.3): bundled sample currencies, reports and swaps, dated relative to the current hour.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use time::{Duration, OffsetDateTime, Time};

use crate::domain::basket::Basket;
use crate::domain::decimal::Decimal;
use crate::domain::economy::{DAY, Economy, ListedCurrency, Pair, TRADE, valid_until};
use crate::domain::figures::{CountedReport, Figures};
use crate::domain::report::Report;
use crate::domain::swap::Market;

const FILE: &str = include_str!("../sample/economy.json");

#[derive(Debug, Clone, Deserialize)]
struct Samples {
    currencies: Vec<SampleCurrency>,
    swaps: Vec<SampleSwap>,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleCurrency {
    slug: String,
    title: String,
    #[serde(rename = "currency")]
    name: String,
    /// The newest first.
    reports: Vec<SampleReport>,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleReport {
    /// Before the last midnight UTC.
    days_ago: i64,
    supply: u64,
    minted: u64,
    burned: u64,
    meal: u64,
    ride: u64,
    wage: u64,
    rent: u64,
    output: u64,
    active_players: u64,
    policy_rate: Option<String>,
    naira_per_unit: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleSwap {
    /// Before the start of the current hour.
    hours_ago: i64,
    party: String,
    from: String,
    to: String,
    gave: u64,
    got: u64,
}

/// The sample economy as it is at `at`.
///
/// # Errors
/// The bundled file is not valid.
pub fn economy(at: OffsetDateTime) -> Result<Economy, serde_json::Error> {
    let Samples {
        mut currencies,
        swaps,
    } = serde_json::from_str(FILE)?;
    currencies.sort_by(|a, b| a.slug.cmp(&b.slug));
    let midnight = at.replace_time(Time::MIDNIGHT);
    let mut currencies: Vec<ListedCurrency> = (currencies.into_iter())
        .filter_map(|currency| listed_currency(currency, midnight, at))
        .collect();
    let indexes: HashMap<String, usize> = (currencies.iter().enumerate())
        .map(|(index, currency)| (currency.slug.clone(), index))
        .collect();
    let since_midnight = at - midnight;
    let hour = midnight + Duration::hours(since_midnight.whole_hours());
    let swaps: Vec<IndexedSwap> = (swaps.iter())
        .filter_map(|swap| indexed_swap(swap, hour, &indexes))
        .collect();
    for swap in swaps.iter().filter(|swap| swap.at > at - TRADE) {
        if let Some(from) = currencies.get_mut(swap.from) {
            from.trade_balance += i128::from(swap.gave);
        }
        if let Some(to) = currencies.get_mut(swap.to) {
            to.trade_balance -= i128::from(swap.got);
        }
    }
    let next_hour = hour + Duration::HOUR;
    Ok(Economy {
        currencies,
        markets: markets(&swaps, at),
        markets_day_before: markets(&swaps, at - DAY),
        valid_until: valid_until(at, [(next_hour, Duration::ZERO)]),
    })
}

/// The name of a sample currency and its reports as dated at `at`, the newest first; `None`: no sample game has this slug.
///
/// # Errors
/// The bundled file is not valid.
pub fn history(
    slug: &str,
    at: OffsetDateTime,
) -> Result<Option<(String, Vec<CountedReport>)>, serde_json::Error> {
    let Samples { currencies, .. } = serde_json::from_str(FILE)?;
    let found = currencies
        .into_iter()
        .find(|currency| currency.slug == slug);
    let midnight = at.replace_time(Time::MIDNIGHT);
    Ok(found.map(|currency| (currency.name, counted(currency.reports, midnight))))
}

/// Reports with their dates, the newest first.
fn counted(reports: Vec<SampleReport>, midnight: OffsetDateTime) -> Vec<CountedReport> {
    (reports.into_iter())
        .map(|reported| CountedReport {
            at: midnight - Duration::days(reported.days_ago),
            report: report(reported),
        })
        .collect()
}

fn listed_currency(
    currency: SampleCurrency,
    midnight: OffsetDateTime,
    at: OffsetDateTime,
) -> Option<ListedCurrency> {
    let reports = counted(currency.reports, midnight);
    let before = reports.iter().find(|counted| counted.at <= at - DAY);
    Some(ListedCurrency {
        slug: currency.slug,
        title: currency.title,
        currency: currency.name,
        newest: reports.first()?.clone(),
        figures: Figures::of(&reports),
        cost_day_before: before.map(|counted| counted.report.basket.cost()),
        trade_balance: 0,
    })
}

fn report(reported: SampleReport) -> Report {
    let decimal = |text: Option<String>| text.as_deref().and_then(Decimal::parse);
    Report {
        supply: reported.supply,
        minted: reported.minted,
        burned: reported.burned,
        basket: Basket {
            meal: reported.meal,
            ride: reported.ride,
            wage: reported.wage,
            rent: reported.rent,
        },
        output: reported.output,
        active_players: reported.active_players,
        policy_rate: decimal(reported.policy_rate),
        naira_per_unit: decimal(reported.naira_per_unit),
    }
}

/// A swap with the indexes of its currencies.
struct IndexedSwap {
    at: OffsetDateTime,
    party: String,
    from: usize,
    to: usize,
    gave: u64,
    got: u64,
}

fn indexed_swap(
    swap: &SampleSwap,
    hour: OffsetDateTime,
    indexes: &HashMap<String, usize>,
) -> Option<IndexedSwap> {
    Some(IndexedSwap {
        at: hour - Duration::hours(swap.hours_ago),
        party: swap.party.clone(),
        from: *indexes.get(&swap.from)?,
        to: *indexes.get(&swap.to)?,
        gave: swap.gave,
        got: swap.got,
    })
}

fn markets(swaps: &[IndexedSwap], at: OffsetDateTime) -> HashMap<Pair, Market> {
    let mut markets: HashMap<Pair, (Market, HashSet<&str>)> = HashMap::new();
    for swap in swaps
        .iter()
        .filter(|swap| swap.at > at - DAY && swap.at <= at)
    {
        let pair = (swap.from.min(swap.to), swap.from.max(swap.to));
        let (market, parties) = markets.entry(pair).or_insert_with(|| {
            let none = Market {
                swaps: 0,
                parties: 0,
                first: 0,
                second: 0,
                last: swap.at,
            };
            (none, HashSet::new())
        });
        let (first, second) = if swap.from < swap.to {
            (swap.gave, swap.got)
        } else {
            (swap.got, swap.gave)
        };
        market.swaps += 1;
        market.first += u128::from(first);
        market.second += u128::from(second);
        market.last = market.last.max(swap.at);
        parties.insert(&swap.party);
        market.parties = u64::try_from(parties.len()).unwrap_or(u64::MAX);
    }
    (markets.into_iter())
        .map(|(pair, (market, _))| (pair, market))
        .collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::domain::rates::{Source, rate};

    /// At any minute of a day every field is exercised.
    #[test]
    fn every_field_of_the_samples_is_in_use() {
        for minutes in [0, 1, 59, 60, 754, 1_439] {
            let at = datetime!(2026-03-01 00:00 UTC) + Duration::minutes(minutes);
            let economy = economy(at).unwrap();
            let listed = &economy.currencies;
            assert!(listed.len() >= 12);
            assert!(
                listed
                    .iter()
                    .all(|listed| listed.slug.starts_with("sample-"))
            );
            let some = |is: fn(&ListedCurrency) -> bool| {
                assert!(listed.iter().any(is) && !listed.iter().all(is));
            };
            some(|listed| listed.figures.inflation.is_some());
            some(|listed| listed.figures.growth.is_some());
            some(|listed| listed.figures.money_growth.is_some());
            some(|listed| listed.newest.report.policy_rate.is_some());
            some(|listed| listed.newest.report.naira_per_unit.is_some());
            some(|listed| listed.trade_balance != 0);
            let pairs =
                (0..listed.len()).flat_map(|from| (0..listed.len()).map(move |to| (from, to)));
            let rates: Vec<_> = pairs
                .filter_map(|(from, to)| rate(&economy, from, to))
                .collect();
            assert_eq!(rates.len(), listed.len() * (listed.len() - 1));
            for source in [Source::Worked, Source::Market] {
                assert!(
                    rates.iter().any(|rate| rate.source == source),
                    "{source:?} at {at}"
                );
            }
            assert!(rates.iter().any(|rate| rate.day_change.is_none()));
            assert!(rates.iter().any(|rate| rate.day_change.is_some()));
            assert_eq!(economy.valid_until.map(|until| until > at), Some(true));
        }
    }
}
