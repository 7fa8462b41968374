//! `GET /economy/currencies` (§4.4).

use axum::extract::State;
use contracts::economy::v1::ListCurrenciesRequest;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<ApiResponse, ApiError> {
    let request = ListCurrenciesRequest {
        mode: convert::mode(caller.key.mode).into(),
    };
    let currencies = app
        .economy
        .read(CurrenciesServiceClient::list_currencies, request)
        .await?;
    Ok(ApiResponse::list(currencies.json, currencies.page))
}
