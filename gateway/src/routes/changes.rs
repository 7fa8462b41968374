//! `GET /changes` (§10.15).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::ListChangesRequest;
use contracts::common::v1::Form;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::query::Params;
use crate::upstream::min_position::MinPosition;

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let request = ListChangesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
    };
    let changes = query
        .with_errors_of(app.catalogue.list_changes(request, min))
        .await?;
    Ok(ApiResponse::list(changes.json, changes.page))
}
