//! `GET /changes` (§10.15).

use contracts::catalogue::v1::ListChangesRequest;
use contracts::catalogue::v1::changes_service_client::ChangesServiceClient;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;

pub async fn list(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let page = params.page();
    // No cursor may be ahead of `at_least`. The position in Redis is a moment older than what a replica may have shown, so listings-svc is
    // asked for its own.
    let at_least = match page.cursor.as_str() {
        "" => read.at_least.clone(),
        _cursor => read.app.listings_position.get().await.map(Into::into),
    };
    let request = ListChangesRequest {
        mode: read.mode,
        page: Some(page),
        at_least,
    };
    let method = ChangesServiceClient::list_changes;
    let changes = read.send(params, method, request).await?;
    Ok(ApiResponse::list(changes.json, changes.page))
}
