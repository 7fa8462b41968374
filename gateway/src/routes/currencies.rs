//! `GET /economy/currencies` (§4.4).

use axum::extract::State;
use contracts::economy::v1::ListCurrenciesRequest;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::message;

/// Every listed currency.
pub async fn list(State(app): State<App>, Caller(caller): Caller) -> Result<Answer, Refusal> {
    let request = ListCurrenciesRequest {
        mode: message::mode(caller.key.mode).into(),
    };
    let currencies = app.economy.list_currencies(request).await?;
    Ok(Answer::list(currencies.json, currencies.page))
}
