//! What staff do with currencies, reports, tips and swaps (`economy/v1/staff.proto`).

mod currencies;
mod reports;
mod swaps;
mod tips;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_server::StaffService;
use kit::Fault;
use kit::audit::reason;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::staff_action::Action;
use crate::service::Service;
use crate::store::games;

#[tonic::async_trait]
impl StaffService for Service {
    async fn set_currency(
        &self,
        request: Request<proto::SetCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        let on = ("currency", request.get_ref().game.as_str());
        let by = self.audit.admit(&request, Action::SetCurrency, on).await?;
        respond(currencies::set(self, by, request.into_inner()).await)
    }

    async fn list_currency_names(
        &self,
        request: Request<proto::ListCurrencyNamesRequest>,
    ) -> Result<Response<proto::ListCurrencyNamesResponse>, Status> {
        let on = ("currency", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(currencies::list_names(self, request.into_inner()).await)
    }

    async fn list_held_reports(
        &self,
        request: Request<proto::ListHeldReportsRequest>,
    ) -> Result<Response<proto::ListHeldReportsResponse>, Status> {
        let on = ("report", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(reports::list_held(self, request.into_inner()).await)
    }

    async fn approve_report(
        &self,
        request: Request<proto::ApproveReportRequest>,
    ) -> Result<Response<proto::ApproveReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::ApproveReport, on)).await?;
        respond(reports::approve(self, by, request.into_inner()).await)
    }

    async fn reject_report(
        &self,
        request: Request<proto::RejectReportRequest>,
    ) -> Result<Response<proto::RejectReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::RejectReport, on)).await?;
        respond(reports::reject(self, by, request.into_inner()).await)
    }

    async fn import_swaps(
        &self,
        request: Request<proto::ImportSwapsRequest>,
    ) -> Result<Response<proto::ImportSwapsResponse>, Status> {
        let on = ("swap", "");
        let by = (self.audit.admit(&request, Action::ImportSwaps, on)).await?;
        respond(swaps::import(self, by, request.into_inner()).await)
    }

    async fn list_tips(
        &self,
        request: Request<proto::ListTipsRequest>,
    ) -> Result<Response<proto::ListTipsResponse>, Status> {
        let on = ("tip", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(tips::list(self, request.into_inner()).await)
    }

    async fn list_swaps(
        &self,
        request: Request<proto::ListSwapsRequest>,
    ) -> Result<Response<proto::ListSwapsResponse>, Status> {
        let on = ("swap", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(swaps::list(self, request.into_inner()).await)
    }

    async fn remove_swaps(
        &self,
        request: Request<proto::RemoveSwapsRequest>,
    ) -> Result<Response<proto::RemoveSwapsResponse>, Status> {
        let on = ("swap", "");
        let by = self.audit.admit(&request, Action::RemoveSwaps, on).await?;
        respond(swaps::remove(self, by, request.into_inner()).await)
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<Action>(request).await
    }
}

/// A reason that staff must give.
fn required_reason(text: &str) -> Result<String, Fault> {
    let reason = reason(text)?;
    if reason.is_empty() {
        return Err(Fault::invalid_field(
            "reason",
            "Say why; the audit keeps it.",
        ));
    }
    Ok(reason)
}

impl Service {
    /// The id of the game in a filter; `None`: the filter is empty.
    async fn game_filter(&self, slug: &str) -> Result<Option<Uuid>, Fault> {
        if slug.is_empty() {
            return Ok(None);
        }
        let game = games::find(&self.pool, slug).await?;
        let game = game
            .ok_or_else(|| Fault::not_found(format!("There is no game with the slug {slug}.")))?;
        Ok(Some(game.id))
    }
}
