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
    /// The index of a game's currency.
    pub fn find(&self, slug: &str) -> Option<usize> {
        let found = self.currencies.binary_search_by(|currency| currency.slug.as_str().cmp(slug));
        found.ok()
    }
}
