//! `GET /webhooks/messages` (§10.17).

use axum::extract::{RawQuery, State};
use contracts::webhook::v1::ListMessagesRequest;
use contracts::webhook::v1::messages_service_client::MessagesServiceClient;
use kit::timestamp;

use crate::app::App;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::query::{Params, TimeOrNow};

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let (from_now, since) = match query.timestamp_or_now("since") {
        Some(TimeOrNow::Now) => (true, None),
        Some(TimeOrNow::At(since)) => (false, Some(timestamp::encode(since))),
        None => (false, None),
    };
    let request = ListMessagesRequest {
        account_id: caller.key.account.to_string(),
        mode: caller.key.mode.into(),
        event: query.text("event").unwrap_or_default(),
        after: query.text("after").unwrap_or_default(),
        from_now,
        since,
        limit: query.limit(),
    };
    let method = MessagesServiceClient::list_messages;
    let messages = query.with_errors_of(app.webhooks.read(method, request));
    let messages = messages.await?;
    Ok(ApiResponse::list(messages.json, messages.page))
}
