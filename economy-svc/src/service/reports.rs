//! Reports of games (`economy/v1/reports.proto`).

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::economy::v1::reports_service_server::ReportsService;
use kit::Fault;
use kit::api::timestamp;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::calls::Call;
use super::{Service, own_reports};
use crate::domain::report::Report;
use crate::store::games::Game;
use crate::store::reports;
use crate::write::SubmitReport;
use crate::write::report::{self, no_currency};

#[tonic::async_trait]
impl ReportsService for Service {
    async fn submit_report(
        &self,
        request: Request<proto::SubmitReportRequest>,
    ) -> Result<Response<proto::SubmitReportResponse>, Status> {
        let request = request.into_inner();
        let call = Call {
            account_id: &request.account_id,
            mode: request.mode(),
            game: &request.game,
            body: &request.body,
            idempotency_key: &request.idempotency_key,
            dry_run: request.dry_run,
        };
        respond(self.submit(&call).await)
    }

    async fn list_own_reports(
        &self,
        request: Request<proto::ListOwnReportsRequest>,
    ) -> Result<Response<proto::ListOwnReportsResponse>, Status> {
        respond(own_reports::list(&self.pool, request.into_inner()).await)
    }

    async fn list_own_held_reports(
        &self,
        request: Request<proto::ListOwnHeldReportsRequest>,
    ) -> Result<Response<proto::ListOwnHeldReportsResponse>, Status> {
        respond(own_reports::list_held(&self.pool, request.into_inner()).await)
    }
}

impl Service {
    async fn submit(&self, call: &Call<'_>) -> Result<proto::SubmitReportResponse, Fault> {
        let body = call.body_text()?;
        let idempotency_key = call.idempotency_key("POST /economy/report")?;
        let report = match Report::parse(body) {
            Ok(report) => report,
            Err(fault) => return Err(self.refusal(idempotency_key.as_ref(), fault).await),
        };
        // A test key's report is validated only: it is compared with no game and no earlier report.
        if call.mode == Mode::Test {
            return Ok(proto::SubmitReportResponse::default());
        }
        if call.dry_run {
            self.check_report_time(self.game(call.game).await?).await?;
            return Ok(proto::SubmitReportResponse::default());
        }
        let submit = SubmitReport { game: call.game.to_owned(), report, idempotency_key };
        let receipt = report::submit(&self.producer, &submit, &self.policy).await?;
        Ok(proto::SubmitReportResponse {
            report: Some(receipt.report),
            at: Some(timestamp::encode(receipt.at)),
            counted: receipt.held.is_none(),
            held: receipt.held,
            replayed: receipt.replayed,
        })
    }

    /// The checks of a dry run, apart from those of the report itself.
    async fn check_report_time(&self, game: Game) -> Result<(), Fault> {
        if !game.has_currency {
            return Err(no_currency());
        }
        let now = self.clock.now();
        let mut connection = self.pool.acquire().await?;
        let newest_at = reports::baseline(&mut connection, game.id).await?.newest_at;
        self.policy.check_interval(newest_at, now)
    }
}
