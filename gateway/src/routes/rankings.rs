//! `GET /rankings/{kind}/{board}` (§4.2).

use contracts::catalogue::v1::ListRankingRequest;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;
use crate::extract::path_param::PathParam;

/// A page of a board. catalogue-svc rejects boards that do not exist.
pub async fn list(
    read: CatalogueRead,
    PathParam((kind, board)): PathParam<(String, String)>,
) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let request = ListRankingRequest {
        mode: read.mode,
        page: Some(params.page()),
        at_least: read.at_least.clone(),
        kind,
        board,
    };
    let method = RankingsServiceClient::list_ranking;
    let ranking = read.send(params, method, request).await?;
    Ok(ApiResponse::list(ranking.json, ranking.page))
}
