//! `POST /economy/report` (§4.4).

use contracts::economy::v1::SubmitReportRequest;
use contracts::public::{CheckedReport, Reported, Timestamp};
use kit::Code;
use kit::api::timestamp;

use crate::domain::key::Mode;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::service_write::ServiceWrite;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::new("/economy/report", "submitReport", Tag::Economy, "Reports the state of the game's economy.",
            Success::Created { created: "Reported", checked: "CheckedReport", is_listing: false }, p::SUBMIT)
            .post("ReportSubmission")
            .codes(&[Code::BadRequest, Code::TooSoon])
            .about("Amounts are whole units of the game's currency. A report whose basket costs much more or less than that of the last \
                counted one is held until staff have reviewed it. With a test key, nothing is stored."),
    ]
}

pub async fn submit(call: Call) -> Result<ApiResponse, ApiError> {
    let ServiceWrite { app, caller, body, bad, dry_run, idempotency_key, .. } =
        ServiceWrite::read(call)?;
    let request = SubmitReportRequest {
        account_id: caller.key.account.to_string(),
        mode: caller.key.mode.into(),
        game: caller.key.game.clone().unwrap_or_default(),
        body,
        dry_run,
        idempotency_key,
    };
    let response = bad.join(app.economy.write(&request).await)?;
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
