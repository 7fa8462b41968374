//! `GET /economy/methodology` (§10.13).

use axum::extract::State;

use crate::app::App;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;

pub async fn get(State(app): State<App>) -> Result<ApiResponse, ApiError> {
    let methodology = app.economy.get_methodology().await?;
    Ok(ApiResponse::object(methodology.json))
}
