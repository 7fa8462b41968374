//! The rates of a game's currency: now, and to one other over time.

use contracts::economy::v1 as proto;
use contracts::public::Rate;
use kit::Code;
use pages::economy::{RateRow, Rates, Series};
use pages::plot::Plot;
use pages::site::Texts;
use pages::when;
use time::OffsetDateTime;

use crate::app::Web;
use crate::domain::percent::encoded;
use crate::page_language::PageLanguage;
use crate::upstream::rates::RatePage;
use crate::upstream::time_of;

/// Rates of a page, as on the public one.
const ROWS: usize = 24;
/// Days of the plot.
const DAYS: u32 = 31;

/// A page of the rates of a game. `to` is the game whose currency the plot shows; if the page lacks it, it is the first. `after` is the place
/// in the list.
pub(super) async fn load(
    app: &Web,
    language: PageLanguage,
    game: &str,
    to: &str,
    after: &str,
) -> Rates {
    let texts = language.texts();
    let problem = |key: &'static str| Rates {
        problem: Some(language.say(key)),
        ..Rates::default()
    };
    let RatePage {
        rows: rates,
        has_more,
    } = match app.economy.rates(game, after, ROWS).await {
        Ok(page) if page.rows.is_empty() && after.is_empty() => {
            return problem("economy-rates-alone");
        }
        Ok(page) => page,
        Err(fault) if fault.code == Code::Invalid => {
            return problem("economy-rates-not-yet");
        }
        Err(fault) => {
            tracing::warn!(%fault, game, "a page shows no rates");
            return problem("economy-rates-away");
        }
    };
    let chosen = rates
        .iter()
        .find(|rate| rate.to == to)
        .or_else(|| rates.first());
    let Some(chosen) = chosen else {
        return problem("economy-rates-end");
    };
    let place = |slug: &str| {
        let slug = encoded(slug);
        format!("after={slug}")
    };
    let points = app.economy.rate_series(game, &chosen.to, DAYS).await;
    let series = points
        .ok()
        .map(|points| series(texts, &app.api_url, chosen, &points));
    Rates {
        problem: None,
        place: (!after.is_empty()).then(|| place(after)),
        next: rates
            .last()
            .filter(|_| has_more)
            .map(|last| place(&last.to)),
        rows: rates.iter().map(|rate| row(texts, rate, chosen)).collect(),
        series,
    }
}

/// Where a rate comes from, in words.
fn source_name(texts: &Texts, source: &str) -> String {
    texts.value("rate-source", source, source).to_owned()
}

fn row(texts: &Texts, rate: &Rate<'_>, chosen: &Rate<'_>) -> RateRow {
    let change = rate.day_change_pct.as_ref();
    RateRow {
        slug: rate.to.to_string(),
        currency: rate.currency_to.to_string(),
        rate: texts.decimal(rate.rate.as_str()),
        source: source_name(texts, &rate.source),
        at: when::minute(texts, rate.at.0),
        day_change: change.map_or_else(
            || texts.say("economy-rates-no-change").to_owned(),
            |change| texts.say_of("economy-rates-change", &texts.decimal(change.as_str())),
        ),
        is_shown: rate.to == chosen.to,
    }
}

fn series(texts: &Texts, api_url: &str, chosen: &Rate<'_>, points: &[proto::RatePoint]) -> Series {
    let pair = texts.say_of_two("pair-title", &chosen.currency_from, &chosen.currency_to);
    let heading = texts.say_of_two("economy-series", &pair, &DAYS.to_string());
    let timed = |point: &proto::RatePoint| time_of(point.at);
    let values: Vec<(OffsetDateTime, f64)> = points
        .iter()
        .filter_map(|point| Some((timed(point)?, point.rate.parse().ok()?)))
        .collect();
    let rows = points.iter().rev().filter_map(|point| {
        let (at, rate) = (timed(point)?, texts.decimal(&point.rate));
        let at = when::minute(texts, at);
        Some((at, rate, source_name(texts, &point.source)))
    });
    let (from, to) = (&chosen.from, &chosen.to);
    let at = points
        .last()
        .and_then(timed)
        .map(when::iso)
        .unwrap_or_default();
    let plot = Plot::new(heading.clone(), &values);
    Series {
        plot: plot.map(|plot| plot.in_language(texts)),
        heading,
        rows: rows.collect(),
        call: format!("GET {api_url}/economy/rates?from={from}&to={to}&at={at}"),
    }
}
