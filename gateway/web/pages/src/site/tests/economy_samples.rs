//! Sample contexts of the pages of the economy.

use askama::Template as _;
use time::Duration;
use time::macros::datetime;

use super::part_samples::{Rendered, amount, filters, frame, link, pager, text};
use crate::language::Language;
use crate::plot::Plot;
use crate::site::cards::Tab;
use crate::site::currencies::{
    ConstantRow, CurrencyPage, CurrencyRow, EconomyPage, Figure, FormulaRow, MethodWords, PairPage,
    PointRow, RateRow, RatesMethodPage,
};
use crate::texts::Texts;

fn words(is_translated: bool) -> MethodWords {
    MethodWords {
        text: text(),
        is_translated,
    }
}

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
        link: link("/economy/kora/okoto"),
        game: text(),
        rate: amount(),
        source: text(),
        at: text(),
        day_change: Some(amount()),
    }
}

fn pair(language: Language) -> PairPage {
    let start = datetime!(2026-11-01 00:00 UTC);
    let plot = Plot::new(text(), &[(start, 1.0), (start + Duration::DAY, 2.0)]);
    PairPage {
        frame: frame(language),
        from: link("/economy/kora"),
        to: link("/economy/okoto"),
        inverse: link("/economy/okoto/kora"),
        spans: vec![Tab {
            link: link("/economy/kora/okoto"),
            is_current: true,
        }],
        late: vec![text()],
        heading: text(),
        unit: text(),
        plot: plot.map(|plot| plot.localized(Texts::of(language), &text())),
        points: vec![PointRow {
            at: text(),
            rate: amount(),
            source: text(),
        }],
    }
}

fn method(language: Language) -> RatesMethodPage {
    RatesMethodPage {
        frame: frame(language),
        version: text(),
        formulas: vec![FormulaRow {
            name: text(),
            formula: text(),
            words: words(false),
        }],
        constants: vec![ConstantRow {
            name: text(),
            value: text(),
            words: words(true),
        }],
        sources: vec![text()],
    }
}

pub(super) fn pages(language: Language) -> Vec<Rendered> {
    let no_points = PairPage {
        plot: None,
        points: Vec::new(),
        ..pair(language)
    };
    vec![
        ("economy", economy(language, vec![currency_row()]).render()),
        ("empty economy", economy(language, Vec::new()).render()),
        ("currency", currency(language, vec![rate()]).render()),
        ("single currency", currency(language, Vec::new()).render()),
        ("pair", pair(language).render()),
        ("pair without rates", no_points.render()),
        ("method", method(language).render()),
    ]
}
