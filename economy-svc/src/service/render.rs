//! The `data` bytes of public answers.

use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::public::{self, Number, Timestamp};
use kit::Fault;
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};

use crate::domain::basket::Basket;
use crate::domain::economy::{Economy, ListedCurrency};
use crate::domain::figures::{CountedReport, Figures};
use crate::domain::rates::{Rate, rate};
use crate::store::reports::Entry;

/// The longest list of rates, in bytes: that of some 630 currencies. The gateway keeps a list in memory, and reads messages of up to 64 MiB.
const MAX_RATES: usize = 64_000_000;

/// More than the length of any rate: the one that exceeds the limit still fits.
const LONGEST_ROW: usize = 1_000;
/// The length of a rate without its slugs and names, with numbers of 16 and 18 characters, and 10 more.
const ROW_WITHOUT_TEXTS: usize = 175;

/// Renders on a blocking thread, so that rendering does not delay other calls.
pub(super) async fn on_blocking_thread<T: Send + 'static>(
    render: impl FnOnce() -> Result<T, serde_json::Error> + Send + 'static,
) -> Result<T, Fault> {
    let rendered =
        tokio::task::spawn_blocking(render).await.map_err(|error| Fault::internal(&error))?;
    rendered.map_err(|error| Fault::internal(&error))
}

/// The page information of a whole list.
pub(super) fn page_info(total: u64) -> PageInfo {
    PageInfo { total, ..PageInfo::default() }
}

/// A list as JSON.
#[derive(Debug, Clone)]
pub(super) struct RenderedList {
    /// The hash of the content.
    pub(super) version: String,
    pub(super) json: Bytes,
}

impl RenderedList {
    fn new(json: Vec<u8>) -> Self {
        let hash = Bytes::copy_from_slice(&Sha256::digest(&json));
        Self { version: format!("{hash:x}"), json: json.into() }
    }
}

/// The JSON list of rates in the order of their slugs; optionally only those from or to one currency. It has the first `most` of the rates to
/// currencies whose slugs come after `after`. Further rates are not computed. Returns `None` if the list is too long.
pub(super) fn rates(
    economy: &Economy,
    from: Option<usize>,
    to: Option<usize>,
    (after, most): (&str, usize),
) -> Result<Option<RenderedList>, serde_json::Error> {
    let currencies = &economy.currencies;
    let start = currencies.partition_point(|currency| currency.slug.as_str() <= after);
    let one_or_all = |one: Option<usize>| one.map_or(0..currencies.len(), |one| one..one + 1);
    let pairs = one_or_all(from).flat_map(|from| {
        let to = one_or_all(to).filter(|to| *to >= start);
        to.map(move |to| (from, to))
    });
    let rated = pairs.filter_map(|(from, to)| Some((from, to, rate(economy, from, to)?)));
    let rows = usize::try_from(count(economy, from, to)).unwrap_or(most).min(most);
    // A buffer that grows is copied, and ends up to twice as large as the list.
    let length = (rows * mean_row_length(economy)).min(MAX_RATES + LONGEST_ROW);
    let mut json = Vec::with_capacity(length);
    for (from, to, rate) in rated.take(most) {
        json.push(if json.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut json, &rate_row(economy, from, to, &rate))?;
        if json.len() > MAX_RATES {
            return Ok(None);
        }
    }
    json.extend_from_slice(if json.is_empty() { b"[]" } else { b"]" });
    Ok(Some(RenderedList::new(json)))
}

/// The mean length of a rate in the list of all, a little more rather than less.
fn mean_row_length(economy: &Economy) -> usize {
    let texts = economy.currencies.iter().map(|it| it.slug.len() + it.currency.len());
    // A row has the texts of two currencies.
    ROW_WITHOUT_TEXTS + 2 * texts.sum::<usize>() / economy.currencies.len().max(1)
}

/// The number of rates, optionally only of those from or to one currency.
pub(super) fn count(economy: &Economy, from: Option<usize>, to: Option<usize>) -> u64 {
    let currencies = economy.currencies.len();
    let count = match (from, to) {
        (None, None) => currencies * currencies.saturating_sub(1),
        (Some(from), Some(to)) => usize::from(from != to),
        (Some(_), None) | (None, Some(_)) => currencies.saturating_sub(1),
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn rate_row<'a>(economy: &'a Economy, from: usize, to: usize, rate: &Rate) -> public::Rate<'a> {
    let text = |index: usize, of: fn(&ListedCurrency) -> &str| {
        economy.currencies.get(index).map_or("", of).into()
    };
    public::Rate {
        from: text(from, |currency| &currency.slug),
        to: text(to, |currency| &currency.slug),
        currency_from: text(from, |currency| &currency.currency),
        currency_to: text(to, |currency| &currency.currency),
        rate: Number(rate.value),
        source: rate.source.as_str().into(),
        at: Timestamp(rate.at),
        day_change_pct: rate.day_change.map(Number),
    }
}

/// Every currency, by slug.
pub(super) fn currencies(
    economy: &Economy,
    now: OffsetDateTime,
    late_after: Duration,
) -> Result<RenderedList, serde_json::Error> {
    let row = |currency: &ListedCurrency| {
        let report = &currency.newest.report;
        let figures = currency.figures;
        public::Currency {
            slug: currency.slug.clone(),
            name: currency.title.clone(),
            currency: currency.currency.clone(),
            reported_at: Timestamp(currency.newest.at),
            late: now >= currency.newest.at + late_after,
            supply: report.supply,
            minted: report.minted,
            burned: report.burned,
            output: report.output,
            players: report.active_players,
            basket: basket(report.basket),
            inflation_pct: figures.inflation.map(Number),
            growth_pct: figures.growth.map(Number),
            money_growth_pct: figures.money_growth.map(Number),
            trade_balance: currency.trade_balance,
            policy_rate_pct: report.policy_rate.map(Number),
            naira_per_unit: report.naira_per_unit.map(Number),
        }
    };
    let rows: Vec<_> = economy.currencies.iter().map(row).collect();
    serde_json::to_vec(&rows).map(RenderedList::new)
}

/// The history of a currency, the oldest report first. The figures of each report compare it with the one before; `before` is that of the
/// first.
pub(super) fn history(
    currency: &str,
    mut before: Option<CountedReport>,
    entries: Vec<Entry>,
) -> Result<Bytes, serde_json::Error> {
    let mut rows = Vec::with_capacity(entries.len());
    for entry in entries {
        let figures = Figures::new(&entry.counted, before.as_ref());
        let CountedReport { at, report, new_unit, .. } = before.insert(entry.counted);
        rows.push(public::HistoryRow {
            reported_at: Timestamp(*at),
            currency: currency.to_owned(),
            new_unit: *new_unit,
            supply: report.supply,
            minted: report.minted,
            burned: report.burned,
            output: report.output,
            players: report.active_players,
            basket: basket(report.basket),
            inflation_pct: figures.inflation.map(Number),
            growth_pct: figures.growth.map(Number),
            money_growth_pct: figures.money_growth.map(Number),
            policy_rate_pct: report.policy_rate.map(Number),
            naira_per_unit: report.naira_per_unit.map(Number),
        });
    }
    serde_json::to_vec(&rows).map(Bytes::from)
}

fn basket(basket: Basket) -> public::Basket {
    public::Basket {
        meal: basket.meal,
        ride: basket.ride,
        wage: basket.wage,
        rent: basket.rent,
        cost: basket.cost(),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::samples;

    #[test]
    fn the_buffer_of_a_list_is_large_enough_and_not_much_larger() {
        let economy = samples::economy(datetime!(2026-03-01 12:30 UTC)).unwrap();
        let rates = rates(&economy, None, None, ("", usize::MAX)).unwrap().unwrap();
        let rows = usize::try_from(count(&economy, None, None)).unwrap();
        let length = rates.json.len();
        assert!((length..length * 5 / 4).contains(&(rows * mean_row_length(&economy))));
    }
}
