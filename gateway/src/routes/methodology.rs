//! `GET /economy/methodology` (§10.13).

use axum::extract::State;
use contracts::economy::v1::GetMethodologyRequest;
use contracts::economy::v1::methodology_service_client::MethodologyServiceClient;

use crate::app::App;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;

pub async fn get(State(app): State<App>) -> Result<ApiResponse, ApiError> {
    let method = MethodologyServiceClient::get_methodology;
    let methodology = app.economy.read(method, GetMethodologyRequest {}).await?;
    Ok(ApiResponse::object(methodology.json))
}
