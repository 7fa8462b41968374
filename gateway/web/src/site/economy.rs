//! The economy: currencies, and the rates from one.

use axum::extract::Path;
use kit::{Code, Fault};
use pages::site::economy::{FirstRates, ListPage};
use pages::{ApiCall, Head};

use super::currency::{PATH, choice, currency_link, currency_page, currency_row, pager, rate_rows};
use super::filters;
use super::response::respond;
use crate::page_error::{PageError, PageResult};
use crate::render::see_other;
use crate::site::public_request::PublicRequest;
use crate::upstream::currencies::find;
use crate::upstream::rates::RatePage;

/// Rows of a list.
const ROWS: usize = 24;
/// Rates on the page of all currencies.
const FIRST_RATES: usize = 10;

/// The page of all currencies. With `from`, redirects to the page of one.
pub async fn list(request: PublicRequest) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let currencies = app.currencies.all(app.clock.now()).await.map_err(unavailable)?;
    if let Some(from) = query.get("from") {
        // A slug from the list needs no encoding, and the redirect stays on this site.
        let chosen = find(&currencies, from).ok_or_else(PageError::not_found)?;
        let path = format!("{}{PATH}/{}", visit.prefix, chosen.slug);
        return Ok(see_other(&path));
    }
    let after = query.get("after");
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
                rates: (rates.as_ref().ok()).map(|it| rate_rows(&frame, &currencies, it)),
            }),
            total: currencies.len().try_into().unwrap_or(u64::MAX),
            currencies: shown.iter().map(|row| currency_row(&frame, row)).collect(),
            pager: pager(&frame, PATH, after, next.map(|row| row.slug.as_str())),
            frame,
        })
    })
}

/// A currency with the rates from it.
pub async fn currency(request: PublicRequest, Path(game): Path<String>) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let after = query.get("after");
    let currencies = app.currencies.all(app.clock.now()).await.map_err(unavailable)?;
    let shown = find(&currencies, &game).ok_or_else(PageError::not_found)?;
    let rates =
        app.currencies.rates(&game, after.unwrap_or_default(), ROWS).await.map_err(unavailable)?;
    respond(app, visit, |frame| {
        let choice = choice(&frame, &currencies, Some(&shown.slug));
        Ok(currency_page(frame, &currencies, shown, &rates, choice, after))
    })
}

/// The page while economy-svc is unavailable. Other faults become errors as on any page.
fn unavailable(fault: Fault) -> PageError {
    match fault.code {
        Code::Unavailable | Code::OutcomeUnknown => PageError::economy_unavailable(&fault),
        _ => fault.into(),
    }
}
