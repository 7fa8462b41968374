//! Exchange rates between listed currencies (§2.8).
//!
//! A worked rate A→B is cost(B) / cost(A): the units of B that buy what one unit of A buys, by equal baskets. A pair with enough swaps in
//! 24 hours has a market rate instead. Both are one division of whole numbers, so that B→A is 1 / (A→B) up to its last digit.

use std::collections::HashMap;

use strum::IntoStaticStr;
use time::OffsetDateTime;

use super::economy::{Economy, ListedCurrency, Pair};
use super::market::Market;
use super::ratio::Ratio;

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    /// Computed from the baskets.
    Worked,
    /// Observed in swaps.
    Market,
}

impl Source {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The price of one unit of a currency in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Units of the second for one unit of the first.
    pub value: f64,
    pub source: Source,
    /// Worked: the time of the newer of the two reports. Market: the time of the last swap.
    pub at: OffsetDateTime,
    /// Change from the rate a day before, in percent, if there was a rate then.
    pub day_change: Option<f64>,
}

/// The rate between two listed currencies by their indexes; `None` when both are the same.
pub fn rate(economy: &Economy, from: usize, to: usize) -> Option<Rate> {
    let (first, second) = (economy.currencies.get(from)?, economy.currencies.get(to)?);
    if from == to {
        return None;
    }
    let market = |markets: &HashMap<Pair, Market>| {
        let market = markets.get(&(from.min(to), from.max(to)))?;
        let rate = market.rate()?;
        let rate = if from < to { Some(rate) } else { rate.reciprocal() };
        Some((rate?, market.last))
    };
    let cost = |currency: &ListedCurrency| currency.newest.report.basket.cost();
    let worked_now = worked(cost(first), cost(second))?;
    // The rate of the market takes precedence over the worked one.
    let (value, source, at) = match market(&economy.markets) {
        Some((value, last)) => (value, Source::Market, last),
        None => (worked_now, Source::Worked, first.newest.at.max(second.newest.at)),
    };
    // A pair had no rate, not even that of a market, when one of its currencies was not listed yet.
    let costs_day_before = first.cost_day_before.zip(second.cost_day_before);
    let before =
        costs_day_before.and_then(|(first, second)| match market(&economy.markets_day_before) {
            Some((rate, _)) => Some(rate),
            None => worked(first, second),
        });
    Some(Rate {
        value: value.value(),
        source,
        at,
        day_change: before.and_then(|before| value.change_pct(before)),
    })
}

fn worked(from: u64, to: u64) -> Option<Ratio> {
    Ratio::new(to.into(), from.into())
}

#[cfg(test)]
mod tests {
    use contracts::public::Number;
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::super::basket::Basket;
    use super::super::figures::{CountedReport, Figures};
    use super::super::report::Report;
    use super::super::report::tests::body;
    use super::*;

    const AT: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
    /// Bounds the relative error of a product of three printed rates, each rounded in its fifteenth digit.
    const NEAR: f64 = 2e-14;

    fn listed(slug: usize, basket: Basket) -> ListedCurrency {
        let mut report = Report::parse(&body().to_string()).unwrap();
        report.basket = basket;
        let newest = CountedReport { at: AT, previous_at: None, new_unit: false, report };
        ListedCurrency {
            slug: slug.to_string(),
            title: String::new(),
            currency: String::new(),
            figures: Figures::new(&newest, None),
            newest,
            cost_day_before: None,
            trade_balance: 0,
        }
    }

    fn economy(baskets: &[Basket], markets: HashMap<Pair, Market>) -> Economy {
        let listed = baskets.iter().enumerate();
        Economy {
            currencies: listed.map(|(slug, basket)| self::listed(slug, *basket)).collect(),
            markets,
            markets_day_before: HashMap::new(),
            rates_until: None,
            currencies_until: None,
        }
    }

    prop_compose! {
        /// Any basket that a report can contain.
        fn baskets()(meal in 1_u64..=10_000_000_000_000, ride in 0_u64..=10_000_000_000_000,
            wage in 0_u64..=10_000_000_000_000, rent in 0_u64..=10_000_000_000_000) -> Basket {
            Basket { meal, ride, wage, rent }
        }
    }

    fn printed(rate: &Rate) -> f64 {
        Number(rate.value).to_string().parse().unwrap()
    }

    fn is_near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() <= NEAR
    }

    proptest! {
        #[test]
        fn worked_rates_are_reciprocal_and_free_of_arbitrage(a in baskets(), b in baskets(), c in baskets()) {
            let economy = economy(&[a, b, c], HashMap::new());
            let rate = |from, to| rate(&economy, from, to).unwrap();
            prop_assert!(is_near(printed(&rate(0, 1)) * printed(&rate(1, 0)), 1.0));
            prop_assert!(is_near(printed(&rate(0, 1)) * printed(&rate(1, 2)), printed(&rate(0, 2))));
        }

        #[test]
        fn market_rates_are_reciprocal(first in 1_i128..1 << 90, second in 1_i128..1 << 90) {
            let basket = Basket { meal: 1, ride: 0, wage: 0, rent: 0 };
            let market = Market { swaps: 3, parties: 2, first, second, last: AT };
            let economy = economy(&[basket, basket], HashMap::from([((0, 1), market)]));
            let rate = |from, to| rate(&economy, from, to).unwrap();
            let (there, back) = (rate(0, 1), rate(1, 0));
            prop_assert_eq!((there.source, back.source), (Source::Market, Source::Market));
            prop_assert_eq!(there.at, back.at);
            prop_assert!(is_near(printed(&there) * printed(&back), 1.0));
        }
    }

    /// Swaps are possible before a currency is listed, but a rate is not.
    #[test]
    fn a_pair_with_a_currency_that_was_not_listed_has_not_changed_since_the_day_before() {
        let basket = Basket { meal: 1, ride: 0, wage: 0, rent: 0 };
        let market = Market { swaps: 3, parties: 2, first: 100, second: 200, last: AT };
        let markets = HashMap::from([((0, 1), market)]);
        let mut economy = economy(&[basket, basket], HashMap::new());
        economy.markets_day_before = markets;
        for (first, second, change) in
            [(true, false, None), (false, true, None), (true, true, Some(-50.0))]
        {
            for (index, was_listed) in [first, second].into_iter().enumerate() {
                let cost = basket.cost();
                economy.currencies[index].cost_day_before = was_listed.then_some(cost);
            }
            let day_change = rate(&economy, 0, 1).unwrap().day_change;
            assert_eq!(day_change, change, "listed: {first}, {second}");
        }
    }

    #[test]
    fn a_currency_has_no_rate_to_itself() {
        let basket = Basket { meal: 1, ride: 0, wage: 0, rent: 0 };
        let economy = economy(&[basket], HashMap::new());
        assert_eq!(rate(&economy, 0, 0), None);
        assert_eq!(rate(&economy, 0, 1), None);
    }
}
