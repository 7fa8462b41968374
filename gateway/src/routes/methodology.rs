//! `GET /economy/methodology` (§10.13).

use axum::extract::State;
use contracts::economy::v1::GetMethodologyRequest;
use contracts::economy::v1::methodology_service_client::MethodologyServiceClient;

use crate::app::App;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::openapi::operation::{Operation, Success, Tag};

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::get("/economy/methodology", "getMethodology", Tag::Economy, "Describes how rates and figures are computed.",
            Success::Object("Methodology"), &[]),
    ]
}

pub async fn get(State(app): State<App>) -> Result<ApiResponse, ApiError> {
    let method = MethodologyServiceClient::get_methodology;
    let methodology = app.economy.read(method, GetMethodologyRequest {}).await?;
    Ok(ApiResponse::object(methodology.json))
}
