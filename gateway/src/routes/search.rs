//! `GET /search` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::SearchRequest;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::min_position::MinPosition;
use crate::extract::query::Params;

const PARAMETERS: &[&str] = &["q", "type", "country", "limit", "cursor"];

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), PARAMETERS);
    let request = SearchRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        at_least,
        // catalogue-svc rejects a request without `q`.
        q: query.text("q").unwrap_or_default(),
        r#type: query.text("type"),
        country: query.text("country"),
    };
    let found = query
        .with_errors_of(
            app.catalogue
                .searches
                .read(SearchServiceClient::search, request),
        )
        .await?;
    Ok(ApiResponse::list(found.json, found.page))
}
