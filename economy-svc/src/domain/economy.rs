//! All listed currencies at a moment, and how long what is said of them holds.

use std::collections::HashMap;

use time::{Duration, OffsetDateTime};

use super::figures::{Counted, Figures};
use super::swap::Market;

/// How far back a rate is compared (`day_change_pct`), and how long swaps make a market.
pub const DAY: Duration = Duration::DAY;
/// How far back the balance of trade goes.
pub const TRADE: Duration = Duration::days(30);

/// A listed currency: that of a published game with a counted report.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Of the game.
    pub slug: String,
    /// Of the game.
    pub title: String,
    /// Name of the currency.
    pub currency: String,
    /// The newest counted report.
    pub newest: Counted,
    /// Changes against the reports before.
    pub figures: Figures,
    /// What the basket cost a day before, by the report that counted then.
    pub cost_day_before: Option<u64>,
    /// Over 30 days: units given in for other currencies, less the units given out.
    pub trade_balance: i128,
}

/// A pair of currencies, by their places in [`Economy::listed`]; the smaller is first.
pub type Pair = (usize, usize);

/// The listed currencies at a moment, by the slugs of their games.
#[derive(Debug, Clone, PartialEq)]
pub struct Economy {
    /// By slug.
    pub listed: Vec<Listed>,
    /// The swaps of the day before the moment.
    pub markets: HashMap<Pair, Market>,
    /// The swaps of the day before that.
    pub markets_day_before: HashMap<Pair, Market>,
    /// When something of this changes by the clock alone; `None` for never.
    pub valid_until: Option<OffsetDateTime>,
}

/// When what is said at `now` changes by the clock alone, if the newest events of these kinds are as old as this: an event leaves a
/// window that long after it happened.
pub fn valid_until(
    now: OffsetDateTime,
    leaving: impl IntoIterator<Item = (OffsetDateTime, Duration)>,
) -> Option<OffsetDateTime> {
    let moments = leaving.into_iter().map(|(at, window)| at + window);
    moments.filter(|moment| *moment > now).min()
}

impl Economy {
    /// The place of a game's currency.
    pub fn find(&self, slug: &str) -> Option<usize> {
        let found = self
            .listed
            .binary_search_by(|listed| listed.slug.as_str().cmp(slug));
        found.ok()
    }
}
