//! `GET /search` (§4.2).

use contracts::catalogue::v1::SearchRequest;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/search", "search", Tag::Search, "Searches games, creators, events and cities, the best first.",
            Success::List("SearchResult"),
            &[p::Q_OF_SEARCH, p::RESULT_KIND, p::COUNTRY, p::LIMIT, p::CURSOR])
            .about("Every word must match the beginning of a word. Results with fewer typos come first."),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = SearchRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
        // catalogue-svc rejects a request without `q`.
        q: params.text("q").unwrap_or_default(),
        r#type: params.text("type"),
        country: params.text("country"),
        with_details: false,
    };
    let found = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(found.json, found.page).made_at(found.position.as_ref()))
}
