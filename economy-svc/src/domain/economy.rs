//! All listed currencies at a moment, and the times until which their rates and figures are valid.

use std::collections::HashMap;

use time::{Duration, OffsetDateTime};

use super::figures::{CountedReport, Figures};
use super::market::Market;

/// The window of `day_change_pct` and of the market.
pub const DAY: Duration = Duration::DAY;
/// The window of `trade_balance`.
pub const TRADE_WINDOW: Duration = Duration::days(30);

/// A listed currency: that of a published game with a counted report.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedCurrency {
    /// The game's slug.
    pub slug: String,
    /// The game's title.
    pub title: String,
    /// The currency's name.
    pub currency: String,
    /// The newest counted report.
    pub newest: CountedReport,
    pub figures: Figures,
    /// Cost of the basket in the newest report that counted a day before, if there was one.
    pub cost_day_before: Option<u64>,
    /// Over 30 days: units given in for other currencies, less units given out.
    pub trade_balance: i128,
}

/// A pair of currencies by their indexes in [`Economy::currencies`]; the smaller is first.
pub type Pair = (usize, usize);

/// The listed currencies at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Economy {
    /// Sorted by slug.
    pub currencies: Vec<ListedCurrency>,
    /// Swaps of the last 24 hours.
    pub markets: HashMap<Pair, Market>,
    /// Swaps of the 24 hours before these.
    pub markets_day_before: HashMap<Pair, Market>,
    /// The next time at which a rate may change with the clock alone, if any may.
    pub rates_until: Option<OffsetDateTime>,
    /// The same for the figures of a currency.
    pub currencies_until: Option<OffsetDateTime>,
}

/// The next time at which something changes with the clock alone: an event leaves its window when it is as old as the window is long.
pub fn valid_until(
    now: OffsetDateTime,
    events: impl IntoIterator<Item = (Option<OffsetDateTime>, Duration)>,
) -> Option<OffsetDateTime> {
    let moments = events.into_iter().filter_map(|(at, window)| Some(at? + window));
    moments.filter(|moment| *moment > now).min()
}

impl Economy {
    /// Whether the lists of rates of both are equal: the currencies' slugs, names, costs and times,
    /// and the markets.
    pub fn has_rates_of(&self, other: &Self) -> bool {
        let shown = |it: &ListedCurrency| {
            (it.newest.report.basket.cost(), it.newest.at, it.cost_day_before)
        };
        let is_same = |(one, other): (&ListedCurrency, &ListedCurrency)| {
            (&one.slug, &one.currency, shown(one)) == (&other.slug, &other.currency, shown(other))
        };
        self.currencies.len() == other.currencies.len()
            && self.currencies.iter().zip(&other.currencies).all(is_same)
            && self.markets == other.markets
            && self.markets_day_before == other.markets_day_before
    }

    /// The index of a game's currency.
    pub fn find(&self, slug: &str) -> Option<usize> {
        let found = self.currencies.binary_search_by(|currency| currency.slug.as_str().cmp(slug));
        found.ok()
    }
}
