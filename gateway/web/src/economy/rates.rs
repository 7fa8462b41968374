//! The rates of a game's currency: now, and to one other over time.

use contracts::economy::v1 as proto;
use contracts::public::Rate;
use kit::Code;
use pages::economy::{RateRow, Rates, Series};
use pages::plot::Plot;
use pages::when;
use time::OffsetDateTime;

use crate::app::Web;
use crate::domain::percent::encoded;
use crate::upstream::rates::RatePage;
use crate::upstream::time_of;

/// Rates of a page, as on the public one.
const ROWS: usize = 24;
/// Days of the plot.
const DAYS: u32 = 31;

/// A page of the rates of a game. `to` is the game whose currency the plot shows; if the page lacks it, it is the first. `after` is the place
/// in the list.
pub(super) async fn load(web: &Web, game: &str, to: &str, after: &str) -> Rates {
    let RatePage {
        rows: rates,
        has_more,
    } = match web.economy.rates(game, after, ROWS).await {
        Ok(page) if page.rows.is_empty() && after.is_empty() => {
            return problem(
                "No other currency is listed yet, so there is nothing to compare with.",
            );
        }
        Ok(page) => page,
        Err(fault) if fault.code == Code::Invalid => {
            return problem(
                "No rates yet: a currency is listed once its game is public and a first report counts.",
            );
        }
        Err(fault) => {
            tracing::warn!(%fault, game, "a page shows no rates");
            return problem("The rates are not available now. Try again in a moment.");
        }
    };
    let chosen = rates
        .iter()
        .find(|rate| rate.to == to)
        .or_else(|| rates.first());
    let Some(chosen) = chosen else {
        return problem("There are no more rates.");
    };
    let place = |slug: &str| {
        let slug = encoded(slug);
        format!("after={slug}")
    };
    let points = web.economy.rate_series(game, &chosen.to, DAYS).await;
    let series = points
        .ok()
        .map(|points| series(&web.api_url, chosen, &points));
    Rates {
        problem: None,
        place: (!after.is_empty()).then(|| place(after)),
        next: rates
            .last()
            .filter(|_| has_more)
            .map(|last| place(&last.to)),
        rows: rates.iter().map(|rate| row(rate, chosen)).collect(),
        series,
    }
}

fn problem(text: &str) -> Rates {
    Rates {
        problem: Some(text.to_owned()),
        ..Rates::default()
    }
}

fn row(rate: &Rate<'_>, chosen: &Rate<'_>) -> RateRow {
    let change = rate.day_change_pct.as_ref();
    RateRow {
        slug: rate.to.to_string(),
        currency: rate.currency_to.to_string(),
        rate: when::grouped_decimal(rate.rate.as_str()),
        source: rate.source.to_string(),
        at: when::minute(rate.at.0),
        day_change: change.map_or_else(
            || "none".to_owned(),
            |change| format!("{} %", change.as_str()),
        ),
        is_shown: rate.to == chosen.to,
    }
}

fn series(api_url: &str, chosen: &Rate<'_>, points: &[proto::RatePoint]) -> Series {
    let heading = format!(
        "{} in {} over the last {DAYS} days",
        chosen.currency_from, chosen.currency_to
    );
    let timed = |point: &proto::RatePoint| time_of(point.at);
    let values: Vec<(OffsetDateTime, f64)> = points
        .iter()
        .filter_map(|point| Some((timed(point)?, point.rate.parse().ok()?)))
        .collect();
    let rows = points.iter().rev().filter_map(|point| {
        let rate = when::grouped_decimal(&point.rate);
        Some((when::minute(timed(point)?), rate, point.source.clone()))
    });
    let (from, to) = (&chosen.from, &chosen.to);
    let at = points
        .last()
        .and_then(timed)
        .map(when::iso)
        .unwrap_or_default();
    Series {
        plot: Plot::new(heading.clone(), &values),
        heading,
        rows: rows.collect(),
        call: format!("GET {api_url}/economy/rates?from={from}&to={to}&at={at}"),
    }
}
