//! What staff do with currencies, reports, tips, swaps and exchanges (`economy/v1/staff.proto`).

mod currencies;
mod exchanges;
mod reports;
mod swaps;
mod tips;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_server::StaffService;
use kit::audit::reason;
use kit::rpc::respond;
use kit::{Fault, timestamp};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::service::{Service, balances};
use crate::store::games;
use crate::store::reversal::Reversal;
use crate::write::{Command, Outcome, ReverseTransfer};

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

    async fn void_report(
        &self,
        request: Request<proto::VoidReportRequest>,
    ) -> Result<Response<proto::VoidReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::VoidReport, on)).await?;
        respond(reports::void(self, by, request.into_inner()).await)
    }

    async fn list_supply_differences(
        &self,
        request: Request<proto::ListSupplyDifferencesRequest>,
    ) -> Result<Response<proto::ListSupplyDifferencesResponse>, Status> {
        let on = ("report", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(reports::list_supply_differences(self, request.into_inner()).await)
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

    async fn reverse_tip(
        &self,
        request: Request<proto::ReverseTipRequest>,
    ) -> Result<Response<proto::ReverseTipResponse>, Status> {
        let on = ("tip", request.get_ref().tip.as_str());
        let by = self.audit.admit(&request, Action::ReverseTip, on).await?;
        respond(tips::reverse(self, by, request.into_inner()).await)
    }

    async fn list_swaps(
        &self,
        request: Request<proto::ListSwapsRequest>,
    ) -> Result<Response<proto::ListSwapsResponse>, Status> {
        let on = ("swap", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(swaps::list(self, request.into_inner()).await)
    }

    async fn reverse_swap(
        &self,
        request: Request<proto::ReverseSwapRequest>,
    ) -> Result<Response<proto::ReverseSwapResponse>, Status> {
        let on = ("swap", request.get_ref().swap.as_str());
        let by = self.audit.admit(&request, Action::ReverseSwap, on).await?;
        respond(swaps::reverse(self, by, request.into_inner()).await)
    }

    async fn list_account_balances(
        &self,
        request: Request<proto::ListBalancesRequest>,
    ) -> Result<Response<proto::ListBalancesResponse>, Status> {
        let on = ("currency", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(balances::list(&self.pool, None, request.into_inner()).await)
    }

    async fn create_exchange(
        &self,
        request: Request<proto::CreateExchangeRequest>,
    ) -> Result<Response<proto::CreateExchangeResponse>, Status> {
        let on = ("exchange", request.get_ref().name.as_str());
        let by = (self.audit.admit(&request, Action::CreateExchange, on)).await?;
        respond(exchanges::create(self, by, request.into_inner()).await)
    }

    async fn list_exchanges(
        &self,
        request: Request<proto::ListExchangesRequest>,
    ) -> Result<Response<proto::ListExchangesResponse>, Status> {
        let on = ("exchange", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(exchanges::list(self, request.into_inner()).await)
    }

    async fn revoke_exchange(
        &self,
        request: Request<proto::RevokeExchangeRequest>,
    ) -> Result<Response<proto::RevokeExchangeResponse>, Status> {
        let on = ("exchange", request.get_ref().name.as_str());
        let by = (self.audit.admit(&request, Action::RevokeExchange, on)).await?;
        respond(exchanges::revoke(self, by, request.into_inner()).await)
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

/// The message of a reversal.
fn reversal_message(reversal: Reversal) -> proto::Reversal {
    proto::Reversal {
        at: Some(timestamp::encode(reversal.at)),
        by: reversal.by,
        reason: reversal.reason,
    }
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

    /// Returns whether the transfer was already reversed.
    async fn reverse(&self, by: AuthorizedAction, reverse: ReverseTransfer) -> Result<bool, Fault> {
        let command = Command::Reverse(by, reverse);
        let is_new = self.writer.write_as(command, Outcome::try_as_reversed);
        Ok(!is_new.await?)
    }
}
