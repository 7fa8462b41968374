//! Converts currencies and rates to the entries of their pages.

use contracts::economy::v1 as proto;
use contracts::public::{Currency, Rate};
use kit::timestamp;
use pages::plot::Plot;
use pages::site::amount::Amount;
use pages::site::cards::{Link, Tab};
use pages::site::currencies::{CurrencyPage, CurrencyRow, Figure, PairPage, PointRow, RateRow};
use pages::site::list::{Filters, Pager};
use pages::site::{Frame, Head, Texts};
use time::OffsetDateTime;

use super::filters;
use super::query::address;
use crate::upstream::currencies::find;
use crate::upstream::rates::RatePage;

pub(super) const PATH: &str = "/economy";
/// Days of the rates of a pair: the first is the usual one.
pub(super) const SPANS: [u32; 3] = [31, 7, 92];

pub(super) fn pair_path(from: &Currency, to: &Currency) -> String {
    format!("{PATH}/{}/{}", from.slug, to.slug)
}

/// The path of a pair over so many days.
pub(super) fn span(path: &str, days: u32) -> String {
    let number = days.to_string();
    let parameter = (days != SPANS[0]).then_some(number.as_str());
    address(path, &[("days", parameter)])
}

/// Chooses a currency by its game.
pub(super) fn choice(frame: &Frame, currencies: &[Currency], chosen: Option<&str>) -> Filters {
    let named = currencies.iter().map(|row| {
        let label = format!("{} ({})", row.name, row.currency);
        (row.slug.clone(), label)
    });
    let values = filters::by_name(named.collect());
    let mut choice = filters::choice(frame, "from", "economy-from", values, chosen);
    // One currency is always chosen.
    choice.options.remove(0);
    filters::form(frame, PATH, vec![choice], &[])
}

/// The first and the next page of a list.
pub(super) fn pager(frame: &Frame, path: &str, after: Option<&str>, next: Option<&str>) -> Pager {
    Pager {
        first: after.map(|_| frame.href(path)),
        next: next.map(|next| frame.href(&address(path, &[("after", Some(next))]))),
    }
}

fn currency_link(frame: &Frame, currency: &Currency) -> Link {
    frame.link(
        &format!("{PATH}/{}", currency.slug),
        currency.currency.clone(),
    )
}

fn game_link(frame: &Frame, currency: &Currency) -> Link {
    frame.link(&format!("/games/{}", currency.slug), currency.name.clone())
}

pub(super) fn currency_row(frame: &Frame, currency: &Currency) -> CurrencyRow {
    CurrencyRow {
        link: currency_link(frame, currency),
        game: game_link(frame, currency),
        is_late: currency.late,
        reported: frame.texts.minute(currency.reported_at.0),
    }
}

pub(super) fn currency_page(
    mut frame: Frame,
    currencies: &[Currency],
    shown: &Currency,
    rates: &RatePage,
    choice: Filters,
    after: Option<&str>,
) -> CurrencyPage {
    let texts = frame.texts;
    let title = texts.say_of_two("pair-name", &shown.currency, &shown.name);
    frame.head = Head::new(title, frame.say_of("economy-description", &shown.currency))
        .indexed_if(filters::is_indexed(&[], after));
    let path = format!("{PATH}/{}", shown.slug);
    let from = address("/v1/economy/rates", &[("from", Some(&shown.slug))]);
    frame.api_call = Some(format!("GET {from}"));
    let rows = rates.rows.iter();
    let next = rates.rows.last().filter(|_| rates.has_more);
    CurrencyPage {
        choice,
        game: game_link(&frame, shown),
        is_late: shown.late,
        name: shown.currency.clone(),
        reported: texts.minute(shown.reported_at.0),
        figures: figures(texts, shown),
        rates: rows
            .map(|rate| rate_row(&frame, currencies, shown, rate))
            .collect(),
        pager: pager(&frame, &path, after, next.map(|rate| rate.to.as_ref())),
        frame,
    }
}

fn figures(texts: &Texts, shown: &Currency) -> Vec<Figure> {
    let unit = shown.currency.as_str();
    let whole = [
        ("figure-supply", shown.supply, unit),
        ("figure-players", shown.players, ""),
        ("figure-basket", shown.basket.cost, unit),
    ];
    let whole = whole.map(|(key, number, unit)| (key, number.to_string(), unit));
    let changes = [
        ("figure-inflation", &shown.inflation_pct),
        ("figure-growth", &shown.growth_pct),
        ("figure-money-growth", &shown.money_growth_pct),
    ];
    let changes = changes.into_iter().filter_map(|(key, change)| {
        let change = change.as_ref()?;
        Some((key, change.as_str().to_owned(), "%"))
    });
    let balance = shown.trade_balance.as_str().to_owned();
    let all = whole
        .into_iter()
        .chain([("figure-balance", balance, unit)])
        .chain(changes);
    all.map(|(key, number, unit)| Figure {
        name: texts.say(key).to_owned(),
        amount: Amount::new(texts, &number),
        unit: unit.to_owned(),
    })
    .collect()
}

fn rate_row(frame: &Frame, currencies: &[Currency], from: &Currency, rate: &Rate<'_>) -> RateRow {
    let texts = frame.texts;
    let change = rate.day_change_pct.as_ref();
    RateRow {
        link: frame.link(
            &format!("{PATH}/{}/{}", from.slug, rate.to),
            rate.currency_to.to_string(),
        ),
        // A currency that is newer than the list has its game on its own page.
        game: find(currencies, &rate.to).map_or_else(String::new, |to| to.name.clone()),
        rate: Amount::new(texts, rate.rate.as_str()),
        source: source(texts, &rate.source),
        at: texts.minute(rate.at.0),
        day_change: change.map(|change| Amount::new(texts, change.as_str())),
    }
}

fn source(texts: &Texts, source: &str) -> String {
    texts.value("rate-source", source, source).to_owned()
}

pub(super) fn pair_page(
    mut frame: Frame,
    from: &Currency,
    to: &Currency,
    days: u32,
    points: &[proto::RatePoint],
) -> PairPage {
    let texts = frame.texts;
    let title = texts.say_of_two("pair-title", &from.currency, &to.currency);
    frame.head = Head::new(
        title.clone(),
        texts.say_of_two("pair-description", &from.currency, &to.currency),
    )
    // There are as many pairs as the square of the currencies.
    .unindexed();
    let named = |currency: &Currency| Link {
        label: texts.say_of_two("pair-name", &currency.currency, &currency.name),
        ..currency_link(&frame, currency)
    };
    let path = pair_path(from, to);
    let tab = |span: u32| Tab {
        link: frame.link(
            &self::span(&path, span),
            texts.count("pair-days", span.into()),
        ),
        is_current: span == days,
    };
    let mut spans = SPANS;
    spans.sort_unstable();
    let timed = |point: &proto::RatePoint| point.at.and_then(timestamp::decode);
    let values: Vec<(OffsetDateTime, f64)> = points
        .iter()
        .filter_map(|point| Some((timed(point)?, point.rate.parse().ok()?)))
        .collect();
    let rows = points.iter().rev().filter_map(|point| {
        Some(PointRow {
            at: texts.minute(timed(point)?),
            rate: Amount::new(texts, &point.rate),
            source: source(texts, &point.source),
        })
    });
    let late = [from, to].into_iter().filter(|currency| currency.late);
    let heading = texts.count("pair-days", days.into());
    PairPage {
        from: named(from),
        to: named(to),
        inverse: frame.link(
            &pair_path(to, from),
            texts.say_of_two("pair-title", &to.currency, &from.currency),
        ),
        spans: spans.map(tab).into(),
        late: late.map(|currency| currency.currency.clone()).collect(),
        plot: Plot::new(format!("{title}. {heading}"), &values)
            .map(|plot| plot.localized(texts, texts.say("plot-hint"))),
        heading,
        unit: texts.say_of_two("rates-unit", &from.currency, &to.currency),
        points: rows.collect(),
        frame,
    }
}
