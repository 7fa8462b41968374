//! `GET /changes` (§10.15).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::ListChangesRequest;
use contracts::catalogue::v1::changes_service_client::ChangesServiceClient;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::min_position::MinPosition;
use crate::extract::query::Params;

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let page = query.page();
    // No cursor may be ahead of `at_least`. The position in Redis is a moment older than what a replica may have shown, so listings-svc is
    // asked for its own.
    let at_least = match page.cursor.as_str() {
        "" => at_least,
        _cursor => app.listings_position.get().await.map(Into::into),
    };
    let request = ListChangesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(page),
        at_least,
    };
    let changes = query
        .with_errors_of(
            app.catalogue
                .changes
                .read(ChangesServiceClient::list_changes, request),
        )
        .await?;
    Ok(ApiResponse::list(changes.json, changes.page))
}
