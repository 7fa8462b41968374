//! The economy that test keys see (§5.3): bundled sample currencies with their reports, dated relative to the last midnight, and their
//! markets, dated relative to the current hour.

use std::collections::HashMap;

use serde::Deserialize;
use time::{Duration, OffsetDateTime, Time};

use crate::domain::economy::{DAY, Economy, ListedCurrency, Pair};
use crate::domain::figures::{CountedReport, Figures};
use crate::domain::market::Market;
use crate::domain::report::Report;

const FILE: &str = include_str!("../sample/economy.json");

#[derive(Debug, Clone, Deserialize)]
struct Samples {
    /// By slug.
    currencies: Vec<SampleCurrency>,
    markets: Vec<SampleMarket>,
    markets_day_before: Vec<SampleMarket>,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleCurrency {
    slug: String,
    title: String,
    #[serde(rename = "currency")]
    name: String,
    trade_balance: i128,
    /// The newest first.
    reports: Vec<SampleReport>,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleReport {
    /// Before the last midnight UTC.
    days_ago: i64,
    #[serde(default)]
    new_unit: bool,
    #[serde(flatten)]
    report: Report,
}

#[derive(Debug, Clone, Deserialize)]
struct SampleMarket {
    /// Slugs; the smaller is first.
    pair: (String, String),
    swaps: u64,
    parties: u64,
    units: (i128, i128),
    /// Of the last swap, before the start of the current hour.
    hours_ago: i64,
}

/// The sample economy as it is at `at`.
///
/// # Errors
/// The bundled file is not valid.
pub fn economy(at: OffsetDateTime) -> Result<Economy, serde_json::Error> {
    let samples: Samples = serde_json::from_str(FILE)?;
    let midnight = at.replace_time(Time::MIDNIGHT);
    let currencies: Vec<ListedCurrency> = (samples.currencies.into_iter())
        .filter_map(|currency| listed_currency(currency, midnight, at))
        .collect();
    let since_midnight = at - midnight;
    let hour = midnight + Duration::hours(since_midnight.whole_hours());
    let next_hour = hour + Duration::HOUR;
    let mut economy = Economy {
        currencies,
        markets: HashMap::new(),
        markets_day_before: HashMap::new(),
        rates_until: Some(next_hour),
        currencies_until: Some(next_hour),
    };
    economy.markets = markets(&economy, samples.markets, hour);
    economy.markets_day_before = markets(&economy, samples.markets_day_before, hour);
    Ok(economy)
}

/// The name of a sample currency and its reports as dated at `at`, the newest first, if a sample game has this slug.
///
/// # Errors
/// The bundled file is not valid.
pub fn history(
    slug: &str,
    at: OffsetDateTime,
) -> Result<Option<(String, Vec<CountedReport>)>, serde_json::Error> {
    let Samples { currencies, .. } = serde_json::from_str(FILE)?;
    let found = currencies.into_iter().find(|currency| currency.slug == slug);
    let midnight = at.replace_time(Time::MIDNIGHT);
    Ok(found.map(|currency| (currency.name, counted(currency.reports, midnight))))
}

/// Reports with their dates, the newest first.
fn counted(reports: Vec<SampleReport>, midnight: OffsetDateTime) -> Vec<CountedReport> {
    let at = |reported: &SampleReport| midnight - Duration::days(reported.days_ago);
    let times: Vec<_> = reports.iter().map(at).collect();
    let previous = times.iter().copied().skip(1).map(Some).chain([None]);
    (reports.into_iter().zip(previous))
        .map(|(reported, previous_at)| CountedReport {
            at: at(&reported),
            previous_at,
            new_unit: reported.new_unit,
            report: reported.report,
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
    let newest = reports.first()?;
    Some(ListedCurrency {
        slug: currency.slug,
        title: currency.title,
        currency: currency.name,
        newest: newest.clone(),
        figures: Figures::new(newest, reports.get(1)),
        cost_day_before: before.map(|counted| counted.report.basket.cost()),
        trade_balance: currency.trade_balance,
    })
}

fn markets(
    economy: &Economy,
    samples: Vec<SampleMarket>,
    hour: OffsetDateTime,
) -> HashMap<Pair, Market> {
    let market = |sample: SampleMarket| {
        let pair = (economy.find(&sample.pair.0)?, economy.find(&sample.pair.1)?);
        let (first, second) = sample.units;
        let market = Market {
            swaps: sample.swaps,
            parties: sample.parties,
            first,
            second,
            last: hour - Duration::hours(sample.hours_ago),
        };
        Some((pair, market))
    };
    samples.into_iter().filter_map(market).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::domain::rates::{Source, rate};

    /// Sample times are relative to the clock, so that the samples must use every field at any minute of the day.
    #[test]
    fn every_field_of_the_samples_is_in_use() {
        for minutes in [0, 1, 59, 60, 754, 1_439] {
            let at = datetime!(2026-03-01 00:00 UTC) + Duration::minutes(minutes);
            let economy = economy(at).unwrap();
            let listed = &economy.currencies;
            assert!(listed.len() >= 12);
            assert!(listed.iter().all(|listed| listed.slug.starts_with("sample-")));
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
            let rates: Vec<_> = pairs.filter_map(|(from, to)| rate(&economy, from, to)).collect();
            assert_eq!(rates.len(), listed.len() * (listed.len() - 1));
            for source in [Source::Worked, Source::Market] {
                assert!(rates.iter().any(|rate| rate.source == source), "{source:?} at {at}");
            }
            assert!(rates.iter().any(|rate| rate.day_change.is_none()));
            assert!(rates.iter().any(|rate| rate.day_change.is_some()));
            assert!(economy.rates_until > Some(at));
        }
    }
}
