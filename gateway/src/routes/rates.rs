//! `GET /economy/rates` (§4.4).

use contracts::economy::v1::ListRatesRequest;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/economy/rates", "listRates", Tag::Economy, "Lists exchange rates between the currencies of games.",
            Success::List("Rate"), &[p::FROM_CURRENCY, p::TO_CURRENCY])
            .about("Without `from` and `to`, it lists the rates between all pairs."),
    ]
}

/// All rates, or those from or to a currency.
pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut query = call.params();
    let request = ListRatesRequest {
        mode: call.mode(),
        from: query.text("from").unwrap_or_default(),
        to: query.text("to").unwrap_or_default(),
        ..ListRatesRequest::default()
    };
    let rates = call.app.rates.list(&call.app.economy, request).await;
    let (json, page) = query.into_bad().join(rates)?;
    Ok(ApiResponse::list(json, page))
}
