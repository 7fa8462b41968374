//! `POST /economy/report` (§4.4).

use axum::extract::{RawQuery, State};
use contracts::economy::v1::SubmitReportRequest;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::public::{CheckedReport, Reported, Timestamp};
use kit::timestamp;

use crate::app::App;
use crate::domain::key::Mode;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Params;

pub async fn submit(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let dry_run = query.flag("dry_run");
    query.finish()?;
    let request = SubmitReportRequest {
        account_id: caller.key.account.to_string(),
        mode: caller.key.mode.into(),
        game: caller.key.game.clone().unwrap_or_default(),
        body: body.0,
        dry_run,
        idempotency_key: key.0,
    };
    let method = ReportsServiceClient::submit_report;
    let response = app.economy.write(method, request).await?;
    let Some(report) = response.report else {
        return ApiResponse::json(&CheckedReport {
            stored: false,
            test: caller.key.mode == Mode::Test,
            dry_run: caller.key.mode == Mode::Live,
        });
    };
    let at = response.at.and_then(timestamp::decode);
    let stored = ApiResponse::json(&Reported {
        stored: true,
        report,
        at: Timestamp(at.ok_or_else(envelope::internal)?),
        counted: response.counted,
        held: response.held,
    })?;
    Ok(stored.created().replayed(response.replayed))
}
