//! The public description of the method (§10.13).

use contracts::public::{Constant, Formula, Methodology};

use super::basket::{MEALS, RENTS, RIDES, WAGES};
use super::market::{MIN_PARTIES, MIN_SWAPS};

/// Changes whenever the same reports and swaps lead to other figures.
pub const VERSION: u32 = 2;

/// The method with this deployment's settings.
pub fn methodology(most_jump_percent: u32, late_days: i64) -> Methodology {
    Methodology {
        version: VERSION,
        formulas: formulas(),
        constants: constants(most_jump_percent, late_days),
        sources: vec![
            "Reports of games on their own economies, stored as they came.".to_owned(),
            "Swaps between currencies, as exchanges recorded them.".to_owned(),
            "The basket is a Lowe index: ILO and others, Consumer Price Index Manual: Concepts and Methods, 2020."
                .to_owned(),
        ],
    }
}

fn formulas() -> Vec<Formula> {
    let formula = |name: &str, formula: String, words: &str| Formula {
        name: name.to_owned(),
        formula,
        words: words.to_owned(),
    };
    vec![
        formula(
            "cost",
            format!("{MEALS} × meal + {RIDES} × ride + {WAGES} × wage + {RENTS} × rent"),
            "What a month of living costs in a game: a basket of fixed quantities.",
        ),
        formula(
            "worked",
            "cost(to) / cost(from)".to_owned(),
            "What one unit of the one currency buys in the other, by equal baskets. Worked rates are reciprocal, and lead to the same result by any detour.",
        ),
        formula(
            "market",
            "sum of units of to / sum of units of from".to_owned(),
            "Over both directions of the pair's swaps in 24 hours, where there were enough of them by enough parties; else the rate is worked.",
        ),
        formula(
            "day_change_pct",
            "(rate / rate 24 hours before − 1) × 100".to_owned(),
            "Null when one of the two had no counted report by then.",
        ),
        formula(
            "inflation_pct",
            "(cost / cost of the counted report before − 1) × 100".to_owned(),
            "Null without a counted report before.",
        ),
        formula(
            "money_growth_pct",
            "(supply / supply of the counted report before − 1) × 100".to_owned(),
            "Null without a counted report before, or when its supply was 0.",
        ),
        formula(
            "growth_pct",
            "(output / interval) / (output before / interval before) × 100 − 100".to_owned(),
            "The output of a day, each report over the time since the game's report before it, whether that one counts or not; compared with the counted report before. Null without one, when that one is the game's first report, or when its output was 0.",
        ),
        formula(
            "trade_balance",
            "units given in − units given out, over 30 days".to_owned(),
            "Somebody gives in 100 cowries and gets 50 beads, and later gives in 30 beads and gets 60 cowries: the balance of cowries is 100 − 60 = 40, that of beads 30 − 50 = −20.",
        ),
    ]
}

fn constants(most_jump_percent: u32, late_days: i64) -> Vec<Constant> {
    let constant = |name: &str, value: String, words: &str| Constant {
        name: name.to_owned(),
        value,
        words: words.to_owned(),
    };
    vec![
        constant(
            "market_swaps",
            MIN_SWAPS.to_string(),
            "Swaps of a pair in 24 hours that make a market.",
        ),
        constant(
            "market_parties",
            MIN_PARTIES.to_string(),
            "Minimum number of parties to those swaps.",
        ),
        constant(
            "most_jump_pct",
            most_jump_percent.to_string(),
            "A report whose cost has moved by more, up or down, is held for a review.",
        ),
        constant(
            "late_days",
            late_days.to_string(),
            "A currency is late after so many days without a counted report.",
        ),
        constant(
            "digits",
            "15".to_owned(),
            "Significant digits of a printed number; it is exact until then, and rounded half to even.",
        ),
    ]
}
