//! Sample contexts of the pages of the economy.

use askama::Template as _;

use super::part_samples::{Rendered, amount, filters, frame, link, pager, text};
use crate::language::Language;
use crate::site::currencies::{CurrencyPage, CurrencyRow, EconomyPage, Figure, RateRow};

fn economy(language: Language, currencies: Vec<CurrencyRow>) -> EconomyPage {
    EconomyPage {
        frame: frame(language),
        choice: filters(),
        total: 1,
        currencies,
        pager: pager(),
    }
}

fn currency_row() -> CurrencyRow {
    CurrencyRow {
        link: link("/economy/kora"),
        game: link("/games/kora"),
        is_late: true,
        reported: text(),
    }
}

fn currency(language: Language, rates: Vec<RateRow>) -> CurrencyPage {
    CurrencyPage {
        frame: frame(language),
        choice: filters(),
        game: link("/games/kora"),
        is_late: true,
        name: text(),
        reported: text(),
        figures: vec![Figure {
            name: text(),
            amount: amount(),
            unit: text(),
        }],
        rates,
        pager: pager(),
    }
}

fn rate() -> RateRow {
    RateRow {
        link: link("/economy/okoto"),
        game: text(),
        rate: amount(),
        source: text(),
        at: text(),
        day_change: Some(amount()),
    }
}

pub(super) fn pages(language: Language) -> Vec<Rendered> {
    vec![
        ("economy", economy(language, vec![currency_row()]).render()),
        ("empty economy", economy(language, Vec::new()).render()),
        ("currency", currency(language, vec![rate()]).render()),
        ("single currency", currency(language, Vec::new()).render()),
    ]
}
