//! `GET /webhooks/messages` (§10.17).

use contracts::webhook::v1::ListMessagesRequest;
use kit::Code;
use kit::api::timestamp;

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::query::TimeOrNow;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/webhooks/messages", "listMessages", Tag::Webhooks, "Lists the webhook messages of the account, the oldest first.",
            Success::List("WebhookMessage"), &[p::AFTER, p::SINCE, p::MESSAGE_EVENT, p::LIMIT])
            .codes(&[Code::Gone])
            .about("The same messages as those to endpoints, for a receiver without a public address. Store `meta.next_cursor` once you have \
                handled a response, and continue with it as `after`, also after an empty response: the cursor moves past messages for other accounts."),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut query = call.params();
    let (from_now, since) = match query.timestamp_or_now("since") {
        Some(TimeOrNow::Now) => (true, None),
        Some(TimeOrNow::At(since)) => (false, Some(timestamp::encode(since))),
        None => (false, None),
    };
    let request = ListMessagesRequest {
        account_id: call.account_id(),
        mode: call.mode(),
        event: query.text("event").unwrap_or_default(),
        after: query.text("after").unwrap_or_default(),
        from_now,
        since,
        limit: query.limit(),
    };
    let messages = call.read(&call.app.webhooks, query, &request).await?;
    Ok(ApiResponse::list(messages.json, messages.page))
}
