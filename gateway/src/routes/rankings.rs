//! `GET /rankings/{kind}/{board}` (§4.2).

use contracts::catalogue::v1::ListRankingRequest;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/rankings/{kind}/{board}", "listRanking", Tag::Rankings, "Lists a board by rank.", Success::List("RankingRow"),
            &[p::BOARD_KIND, p::BOARD, p::LIMIT, p::CURSOR])
            .about("A board is computed from the votes of visitors in the window that `board` names."),
    ]
}

/// A page of a board. catalogue-svc rejects boards that do not exist.
pub async fn list(mut call: Call) -> Result<ApiResponse, ApiError> {
    let (kind, board): (String, String) = call.path_param().await?;
    let mut params = call.params();
    let request = ListRankingRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
        kind,
        board,
    };
    let ranking = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(ranking.json, ranking.page))
}
