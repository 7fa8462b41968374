//! `POST /economy/report` (§4.4).

use axum::extract::{RawQuery, State};
use contracts::economy::v1::SubmitReportRequest;
use contracts::public::{CheckedReport, Reported, Timestamp};
use kit::timestamp;

use crate::app::App;
use crate::domain::key::Mode;
use crate::envelope::{self, Answer};
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Query;
use crate::message;

/// Sends in what a game reports of its economy.
pub async fn submit(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["dry_run"]);
    let dry_run = query.flag("dry_run");
    query.answered(async { Ok(()) }).await?;
    let request = SubmitReportRequest {
        account_id: caller.key.account.to_string(),
        mode: message::mode(caller.key.mode).into(),
        game: caller.key.game.clone().unwrap_or_default(),
        body: body.0,
        dry_run,
        idempotency_key: key.0,
    };
    let answer = app.economy.submit_report(request).await?;
    let Some(report) = answer.report else {
        return Answer::written(&CheckedReport {
            stored: false,
            test: caller.key.mode == Mode::Test,
            dry_run: caller.key.mode == Mode::Live,
        });
    };
    let at = answer.at.and_then(timestamp::decode);
    let stored = Answer::written(&Reported {
        stored: true,
        report,
        at: Timestamp(at.ok_or_else(envelope::internal)?),
        counted: answer.counted,
        held: answer.held,
    })?;
    Ok(stored.created().replayed(answer.replayed))
}
