//! `GET /economy/history` (§10.12).

use axum::extract::{RawQuery, State};
use contracts::economy::v1::ListHistoryRequest;
use kit::timestamp;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;

/// The figures of a currency, report by report.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let known = ["game", "from", "to", "limit", "cursor"];
    let mut query = Query::read(query.as_deref(), &known);
    let request = ListHistoryRequest {
        mode: message::mode(caller.key.mode).into(),
        game: query.text("game").unwrap_or_default(),
        from: query.moment("from").map(timestamp::encode),
        to: query.moment("to").map(timestamp::encode),
        page: Some(query.page()),
    };
    let history = query.answered(app.economy.list_history(request)).await?;
    Ok(Answer::list(history.json, history.page))
}
