//! `GET /economy/rates` (§4.4).

use axum::extract::{RawQuery, State};
use contracts::economy::v1::ListRatesRequest;
use kit::timestamp;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;

/// Every rate, or those from a currency, to one, or of a moment that is past. Their rows are asked for when the answer is written, if the
/// caller, or the gateway, does not have them.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["from", "to", "at"]);
    let request = ListRatesRequest {
        mode: message::mode(caller.key.mode).into(),
        from: query.text("from").unwrap_or_default(),
        to: query.text("to").unwrap_or_default(),
        at: query.moment("at").map(timestamp::encode),
        head_only: false,
    };
    let head = query
        .answered(app.economy.rates_head(request.clone()))
        .await?;
    Ok(Answer::rates(head, request))
}
