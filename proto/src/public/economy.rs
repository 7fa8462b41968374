//! Currencies and rates (§2.7, §2.8), and the responses to a report and a tip (§4.4, §4.2).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Number, RateSource, Slug, Timestamp};

/// A game's currency, and the economy that its newest counted report describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "slug": "bao", "name": "Bao", "currency": "Cowrie", "reported_at": "2026-03-01T08:00:00.000Z", "late": false,
    "supply": 1_000_000, "minted": 5_000, "burned": 1_000, "output": 42_000, "players": 120,
    "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900, "cost": 3_700},
    "inflation_pct": 1.5, "growth_pct": null, "money_growth_pct": 0.4, "trade_balance": -250, "policy_rate_pct": 12.5,
    "naira_per_unit": null,
}))]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
pub struct Currency {
    /// Of the game.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// Of the game.
    pub name: String,
    /// Name of the currency.
    pub currency: String,
    /// When the newest counted report came.
    pub reported_at: Timestamp,
    /// Whether that was longer ago than a currency may go without a counted report.
    pub late: bool,
    /// All currency that exists.
    pub supply: u64,
    /// Created since the previous report.
    pub minted: u64,
    /// Destroyed since the previous report.
    pub burned: u64,
    /// What players earned since the previous report.
    pub output: u64,
    /// Players who were active.
    pub players: u64,
    /// Prices in the game.
    pub basket: Basket,
    /// Change of the basket's cost since the previous counted report, in percent.
    #[schema(required)]
    pub inflation_pct: Option<Number>,
    /// Change of the output per day since the previous interval, in percent.
    #[schema(required)]
    pub growth_pct: Option<Number>,
    /// Change of the supply since the previous counted report, in percent.
    #[schema(required)]
    pub money_growth_pct: Option<Number>,
    /// Over 30 days: units that players gave for other currencies, minus the units that they got for them.
    #[schema(value_type = Number)]
    pub trade_balance: i128,
    /// The game's own interest rate, in percent.
    #[schema(required)]
    pub policy_rate_pct: Option<Number>,
    /// The game's own selling price of a unit.
    #[schema(required)]
    pub naira_per_unit: Option<Number>,
}

/// A counted report of a game, with the figures that it led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "reported_at": "2026-03-01T08:00:00.000Z", "currency": "Cowrie", "new_unit": false,
    "supply": 1_000_000, "minted": 5_000, "burned": 1_000, "output": 42_000, "players": 120,
    "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900, "cost": 3_700},
    "inflation_pct": 1.5, "growth_pct": null, "money_growth_pct": 0.4, "policy_rate_pct": 12.5, "naira_per_unit": null,
}))]
pub struct HistoryRow {
    /// When the report came.
    pub reported_at: Timestamp,
    /// Name of the currency then.
    pub currency: String,
    /// Whether the report is the first in a new unit of the currency. Its changes are then null, and those of the next report compare with it.
    pub new_unit: bool,
    /// All currency that existed.
    pub supply: u64,
    /// Created since the previous report.
    pub minted: u64,
    /// Destroyed since the previous report.
    pub burned: u64,
    /// What players earned since the previous report.
    pub output: u64,
    /// Players who were active.
    pub players: u64,
    /// Prices in the game.
    pub basket: Basket,
    /// Change of the basket's cost since the previous counted report, in percent.
    #[schema(required)]
    pub inflation_pct: Option<Number>,
    /// Change of the output per day since the previous interval, in percent.
    #[schema(required)]
    pub growth_pct: Option<Number>,
    /// Change of the supply since the previous counted report, in percent.
    #[schema(required)]
    pub money_growth_pct: Option<Number>,
    /// The game's own interest rate, in percent.
    #[schema(required)]
    pub policy_rate_pct: Option<Number>,
    /// The game's own selling price of a unit.
    #[schema(required)]
    pub naira_per_unit: Option<Number>,
}

/// Prices of four things in a game, and what a month of living costs by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Basket {
    /// A meal.
    pub meal: u64,
    /// A ride.
    pub ride: u64,
    /// A day's wage.
    pub wage: u64,
    /// A month's rent.
    pub rent: u64,
    /// 60 meals, 40 rides, 20 days' wages and the rent.
    pub cost: u64,
}

/// What one unit of a currency is worth in another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
#[schema(example = json!({
    "from": "bao", "to": "kora", "currency_from": "Cowrie", "currency_to": "Bead", "rate": 5, "source": "worked",
    "at": "2026-03-01T08:00:00.000Z", "day_change_pct": null,
}))]
pub struct Rate<'a> {
    /// Slug of a game.
    #[schema(value_type = Slug)]
    pub from: Cow<'a, str>,
    /// Slug of another.
    #[schema(value_type = Slug)]
    pub to: Cow<'a, str>,
    /// Name of the first one's currency.
    #[schema(value_type = String)]
    pub currency_from: Cow<'a, str>,
    /// Name of the second one's currency.
    #[schema(value_type = String)]
    pub currency_to: Cow<'a, str>,
    /// Units of the second for one unit of the first.
    pub rate: Number,
    /// `worked` or `market`.
    #[schema(value_type = RateSource)]
    pub source: Cow<'a, str>,
    /// When the newer of the two reports came, or the last swap.
    pub at: Timestamp,
    /// Change since 24 hours ago, in percent.
    #[schema(required)]
    pub day_change_pct: Option<Number>,
}

/// A live report was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"stored": true, "report": 7, "at": "2026-03-01T08:00:00.000Z", "counted": true, "held": null}))]
pub struct Reported {
    /// True.
    pub stored: bool,
    /// The report's number.
    pub report: i64,
    /// When it came.
    pub at: Timestamp,
    /// Whether it moves rates.
    pub counted: bool,
    /// Why it is held until staff have reviewed it; otherwise null.
    #[schema(required)]
    pub held: Option<String>,
}

/// A report was checked, and not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"stored": false, "test": true}))]
pub struct CheckedReport {
    /// False.
    pub stored: bool,
    /// Whether a test key sent it; left out of the response to a dry run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Whether it was a dry run; left out otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// A tip was booked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"tip": "01jx", "game": "bao", "amount": 5, "at": "2026-03-01T08:00:00.000Z"}))]
pub struct Tipped {
    /// The tip's id.
    pub tip: String,
    /// Slug of the game.
    #[schema(value_type = Slug)]
    pub game: String,
    /// Whole units of the game's currency.
    pub amount: u64,
    /// When it was booked.
    pub at: Timestamp,
}

/// A tip was checked, and not booked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"dry_run": true}))]
pub struct CheckedTip {
    /// True.
    pub dry_run: bool,
}
