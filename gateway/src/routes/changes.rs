//! `GET /changes` (§10.15).

use contracts::catalogue::v1::ListChangesRequest;
use contracts::catalogue::v1::changes_service_client::ChangesServiceClient;
use kit::Code;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::get("/changes", "listChanges", Tag::Mirrors, "Lists public listings in the order of their last change.",
            Success::List("ListingChange"), p::PAGE)
            .codes(&[Code::Gone])
            .about("For a copy of the directory: read on with `meta.next_cursor`, which is never null, and apply each row by its `type` \
                and its slug or handle. After 410 `gone`, start again without a cursor."),
    ]
}

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
