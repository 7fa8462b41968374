//! `GET /economy/rates` (§4.4).

use axum::extract::{RawQuery, State};
use axum::response::Response;
use contracts::economy::v1::ListRatesRequest;
use http::HeaderMap;
use kit::timestamp;

use crate::app::App;
use crate::envelope::{Answer, Tags};
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;

/// Every rate, or those from a currency, to one, or of a moment that is past. They are passed on as they come.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let mut query = Query::read(query.as_deref(), &["from", "to", "at"]);
    let request = ListRatesRequest {
        mode: message::mode(caller.key.mode).into(),
        from: query.text("from").unwrap_or_default(),
        to: query.text("to").unwrap_or_default(),
        at: query.moment("at").map(timestamp::encode),
        known_versions: Tags::by(&headers).versions(),
    };
    let rates = query.answered(app.economy.list_rates(request)).await?;
    Ok(Answer::streamed(rates))
}
