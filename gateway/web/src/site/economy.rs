//! The economy: currencies, and the rates from one.

use axum::extract::Path;
use contracts::public::{Currency, Rate};
use kit::{Code, Fault};
use pages::site::amount::Amount;
use pages::site::course::Course;
use pages::site::economy::{CurrencyPage, CurrencyRow, Figure, FirstRates, ListPage, RateRow};
use pages::site::list::{Filters, Pager};
use pages::{ApiCall, Frame, Head, Link, Texts};
use time::Date;

use super::response::respond;
use super::{filters, today};
use crate::page_error::{PageError, PageResult};
use crate::query::address;
use crate::render::see_other;
use crate::site::public_request::PublicRequest;
use crate::upstream::PageEconomy;
use crate::upstream::currencies::find;
use crate::upstream::rates::RatePage;

const PATH: &str = "/economy";
/// The most currencies in the choice, besides the chosen one; the list has them all.
const CHOICES: usize = 200;
/// Rows of a list.
const ROWS: usize = 24;
/// Rates on the page of all currencies.
const FIRST_RATES: usize = 10;

/// The page of all currencies. With `from`, redirects to the page of one.
pub async fn list(request: PublicRequest, currencies: PageEconomy) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let currencies = currencies.all().await.map_err(unavailable)?;
    if let Some(from) = query.get("from") {
        // A slug from the list needs no encoding, and the redirect stays on this site.
        let chosen = find(&currencies, from).ok_or_else(PageError::not_found)?;
        let path = format!("{}{PATH}/{}", visit.prefix, chosen.slug);
        return Ok(see_other(&path));
    }
    let after = query.get("after");
    let today = today(app);
    let start = currencies.partition_point(|it| it.slug.as_str() <= after.unwrap_or_default());
    let rest = currencies.get(start..).unwrap_or_default();
    let shown = rest.get(..ROWS).unwrap_or(rest);
    let first = currencies.first().filter(|_| after.is_none());
    let rates = match first {
        Some(first) => app.currencies.rates(&first.slug, "", FIRST_RATES).await,
        None => Ok(RatePage::default()),
    };
    respond(app, visit, |mut frame| {
        frame.head = Head::new(frame.say("economy-title"), frame.say("economy-lead"))
            .indexed_if(filters::is_indexed(&[], after) && rates.is_ok());
        frame.api_call = Some(ApiCall::same("GET /v1/economy/currencies"));
        let next = shown.last().filter(|_| rest.len() > ROWS);
        Ok(ListPage {
            choice: choice(&frame, &currencies, first.map(|it| it.slug.as_str())),
            first: first.map(|first| FirstRates {
                from: currency_link(&frame, first),
                rates: (rates.as_ref().ok()).map(|it| rate_rows(&frame, &currencies, it, today)),
            }),
            total: currencies.len().try_into().unwrap_or(u64::MAX),
            currencies: shown.iter().map(|row| currency_row(&frame, row)).collect(),
            pager: pager(&frame, PATH, after, next.map(|row| row.slug.as_str())),
            frame,
        })
    })
}

/// A currency with the rates from it.
pub async fn currency(
    request: PublicRequest,
    currencies: PageEconomy,
    Path(game): Path<String>,
) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let after = query.get("after");
    let currencies = currencies.all().await.map_err(unavailable)?;
    let shown = find(&currencies, &game).ok_or_else(PageError::not_found)?;
    let rates = app.currencies.rates(&game, after.unwrap_or_default(), ROWS).await;
    // The currency may have left the list since that was read.
    let is_gone = |fault: &Fault| fault.fields.contains_key("from");
    let rates =
        rates.map_err(
            |fault| {
                if is_gone(&fault) { PageError::not_found() } else { unavailable(fault) }
            },
        )?;
    respond(app, visit, |frame| {
        let rows = rate_rows(&frame, &currencies, &rates, today(app));
        let choice = choice(&frame, &currencies, Some(&shown.slug));
        let next = rates.rows.last().filter(|_| rates.has_more);
        let next = next.map(|rate| rate.to.as_ref());
        Ok(currency_page(frame, shown, rows, choice, (after, next)))
    })
}

/// The page while economy-svc is unavailable. Other faults become errors as on any page.
fn unavailable(fault: Fault) -> PageError {
    match fault.code {
        Code::Unavailable | Code::OutcomeUnknown => PageError::economy_unavailable(&fault),
        _ => fault.into(),
    }
}

/// Chooses a currency by its game.
fn choice(frame: &Frame, currencies: &[Currency], chosen: Option<&str>) -> Filters {
    let is_offered =
        |place: usize, row: &Currency| place < CHOICES || chosen == Some(row.slug.as_str());
    let rows = currencies.iter().enumerate();
    let offered = rows.filter_map(|(place, row)| is_offered(place, row).then_some(row));
    let named = offered.map(|row| {
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
fn pager(frame: &Frame, path: &str, after: Option<&str>, next: Option<&str>) -> Pager {
    Pager {
        first: after.map(|_| frame.href(path)),
        next: next.map(|next| frame.href(&address(path, &[("after", Some(next))]))),
    }
}

fn currency_link(frame: &Frame, currency: &Currency) -> Link {
    frame.link(&format!("{PATH}/{}", currency.slug), currency.currency.clone())
}

fn game_link(frame: &Frame, currency: &Currency) -> Link {
    frame.link(&format!("/games/{}", currency.slug), currency.name.clone())
}

fn currency_row(frame: &Frame, currency: &Currency) -> CurrencyRow {
    CurrencyRow {
        link: currency_link(frame, currency),
        game: game_link(frame, currency),
        is_late: currency.late,
        reported: frame.texts().minute(currency.reported_at.0),
    }
}

fn currency_page(
    mut frame: Frame,
    shown: &Currency,
    rates: Vec<RateRow>,
    choice: Filters,
    (after, next): (Option<&str>, Option<&str>),
) -> CurrencyPage {
    let texts = frame.texts();
    let title = texts.say_of_two("currency-of-game", &shown.currency, &shown.name);
    frame.head = Head::new(title, frame.say_of("economy-description", &shown.currency))
        .indexed_if(filters::is_indexed(&[], after));
    let path = format!("{PATH}/{}", shown.slug);
    let from = address("/v1/economy/rates", &[("from", Some(&shown.slug))]);
    frame.api_call = Some(ApiCall::same(format!("GET {from}")));
    CurrencyPage {
        choice,
        game: game_link(&frame, shown),
        is_late: shown.late,
        name: shown.currency.clone(),
        reported: texts.minute(shown.reported_at.0),
        figures: figures(texts, shown),
        rates,
        pager: pager(&frame, &path, after, next),
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
        ("figure-inflation", shown.inflation_pct),
        ("figure-growth", shown.growth_pct),
        ("figure-money-growth", shown.money_growth_pct),
    ];
    let changes =
        changes.into_iter().filter_map(|(key, change)| Some((key, change?.to_string(), "%")));
    let balance = shown.trade_balance.to_string();
    let all = whole.into_iter().chain([("figure-balance", balance, unit)]).chain(changes);
    all.map(|(key, number, unit)| Figure {
        name: texts.say(key).to_owned(),
        amount: Amount::new(texts, &number),
        unit: unit.to_owned(),
    })
    .collect()
}

fn rate_rows(
    frame: &Frame,
    currencies: &[Currency],
    rates: &RatePage,
    today: Date,
) -> Vec<RateRow> {
    let texts = frame.texts();
    let row = |rate: &Rate<'_>| RateRow {
        link: frame.link(&format!("{PATH}/{}", rate.to), rate.currency_to.to_string()),
        // The list may lack a new currency, whose own page names the game.
        game: find(currencies, &rate.to).map_or_else(String::new, |to| to.name.clone()),
        rate: Amount::new(texts, &rate.rate.to_string()),
        source: source(texts, &rate.source),
        at: texts.minute(rate.at.0),
        day_change: (rate.day_change_pct).map(|change| Amount::new(texts, &change.to_string())),
        course: Course::new(texts, &rates.course(rate), today),
    };
    rates.rows.iter().map(row).collect()
}

fn source(texts: &Texts, source: &str) -> String {
    texts.value("rate-source", source, source).to_owned()
}
