//! What staff do with currencies, held reports and swaps (`economy/v1/staff.proto`).

mod currencies;
mod reports;
mod swaps;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_server::StaffService;
use kit::audit::Audit;
use kit::feed::Writer;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::domain::staff_action::Action;
use crate::service::currencies::names;
use crate::write::{Command, CommandHandler, Outcome};

#[derive(Debug)]
pub(super) struct Service {
    pub(super) pool: PgPool,
    pub(super) writer: Writer<CommandHandler>,
    pub(super) audit: Audit,
    pub(super) clock: Clock,
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn set_currency(
        &self,
        request: Request<proto::SetCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        let on = ("currency", request.get_ref().game.as_str());
        let by = self.audit.admit(&request, Action::SetCurrency, on).await?;
        let answer = currencies::set(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_currency_names(
        &self,
        request: Request<proto::ListCurrencyNamesRequest>,
    ) -> Result<Response<proto::ListCurrencyNamesResponse>, Status> {
        self.audit
            .admit(&request, Action::Look, ("currency", ""))
            .await?;
        let currencies = names(&self.pool, None).await?;
        Ok(Response::new(proto::ListCurrencyNamesResponse {
            currencies,
        }))
    }

    async fn list_held_reports(
        &self,
        request: Request<proto::ListHeldReportsRequest>,
    ) -> Result<Response<proto::ListHeldReportsResponse>, Status> {
        self.audit
            .admit(&request, Action::Look, ("report", ""))
            .await?;
        let reports = reports::held(self).await?;
        Ok(Response::new(proto::ListHeldReportsResponse { reports }))
    }

    async fn approve_report(
        &self,
        request: Request<proto::ApproveReportRequest>,
    ) -> Result<Response<proto::ApproveReportResponse>, Status> {
        let name = request.get_ref().report.to_string();
        let by = (self
            .audit
            .admit(&request, Action::ApproveReport, ("report", &name)))
        .await?;
        let answer = reports::approve(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reject_report(
        &self,
        request: Request<proto::RejectReportRequest>,
    ) -> Result<Response<proto::RejectReportResponse>, Status> {
        let name = request.get_ref().report.to_string();
        let by = (self
            .audit
            .admit(&request, Action::RejectReport, ("report", &name)))
        .await?;
        let answer = reports::reject(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn import_swaps(
        &self,
        request: Request<proto::ImportSwapsRequest>,
    ) -> Result<Response<proto::ImportSwapsResponse>, Status> {
        let by = (self
            .audit
            .admit(&request, Action::ImportSwaps, ("swap", "")))
        .await?;
        let answer = swaps::import(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let answer = self.audit.list::<Action>(request).await?;
        Ok(Response::new(answer))
    }
}

impl Service {
    async fn run(&self, command: Command) -> Result<Outcome, Fault> {
        let (outcome, _) = self.writer.write(command).await?;
        Ok(outcome)
    }
}
