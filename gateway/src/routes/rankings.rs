//! `GET /rankings/{kind}/{board}` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::ListRankingRequest;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::min_position::MinPosition;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

/// A page of a board. catalogue-svc rejects boards that do not exist.
pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    PathParam((kind, board)): PathParam<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let request = ListRankingRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        at_least,
        kind,
        board,
    };
    let ranking = query
        .with_errors_of(
            app.catalogue
                .rankings
                .read(RankingsServiceClient::list_ranking, request),
        )
        .await?;
    Ok(ApiResponse::list(ranking.json, ranking.page))
}
