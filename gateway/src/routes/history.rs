//! `GET /economy/history` (§10.12).

use contracts::economy::v1::ListHistoryRequest;
use kit::api::timestamp;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/economy/history", "listHistory", Tag::Economy, "Lists the counted reports of a game, the oldest first.",
            Success::List("HistoryRow"), &[p::GAME, p::FROM_MOMENT, p::TO_MOMENT, p::LIMIT, p::CURSOR]),
    ]
}

/// Lists the figures of a currency, one row per report.
pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut query = call.params();
    let request = ListHistoryRequest {
        mode: call.mode(),
        game: query.text("game").unwrap_or_default(),
        from: query.timestamp("from").map(timestamp::encode),
        to: query.timestamp("to").map(timestamp::encode),
        page: Some(query.page()),
    };
    let history = call.read(&call.app.economy, query, &request).await?;
    Ok(ApiResponse::list(history.json, history.page))
}
