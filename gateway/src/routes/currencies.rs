//! `GET /economy/currencies` (§4.4).

use contracts::economy::v1::ListCurrenciesRequest;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/economy/currencies", "listCurrencies", Tag::Economy, "Lists the currencies of games with their figures.",
            Success::List("Currency"), &[]),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let request = ListCurrenciesRequest { mode: call.mode(), ..ListCurrenciesRequest::default() };
    let currencies = call.app.economy.read(&request).await?;
    // Without a known version, economy-svc always sends the list.
    Ok(ApiResponse::list(currencies.json.unwrap_or_default(), currencies.page))
}
