//! What staff do with currencies, reports, tips, swaps and exchanges (`economy/v1/staff.proto`).

mod currencies;
mod exchanges;
mod reports;
mod swaps;
mod tips;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_server::StaffService;
use kit::audit::{Audit, reason};
use kit::feed::{Writer, unexpected_outcome};
use kit::{Clock, Fault, timestamp};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::service::balances;
use crate::store::games;
use crate::store::reversal::Reversal;
use crate::write::{Command, CommandHandler, Outcome, ReverseTransfer};

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
        let on = ("currency", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = currencies::list_names(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_held_reports(
        &self,
        request: Request<proto::ListHeldReportsRequest>,
    ) -> Result<Response<proto::ListHeldReportsResponse>, Status> {
        let on = ("report", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = reports::list_held(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn approve_report(
        &self,
        request: Request<proto::ApproveReportRequest>,
    ) -> Result<Response<proto::ApproveReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::ApproveReport, on)).await?;
        let answer = reports::approve(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reject_report(
        &self,
        request: Request<proto::RejectReportRequest>,
    ) -> Result<Response<proto::RejectReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::RejectReport, on)).await?;
        let answer = reports::reject(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn void_report(
        &self,
        request: Request<proto::VoidReportRequest>,
    ) -> Result<Response<proto::VoidReportResponse>, Status> {
        let number = request.get_ref().report.to_string();
        let on = ("report", number.as_str());
        let by = (self.audit.admit(&request, Action::VoidReport, on)).await?;
        let answer = reports::void(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_supply_differences(
        &self,
        request: Request<proto::ListSupplyDifferencesRequest>,
    ) -> Result<Response<proto::ListSupplyDifferencesResponse>, Status> {
        let on = ("report", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = reports::list_supply_differences(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn import_swaps(
        &self,
        request: Request<proto::ImportSwapsRequest>,
    ) -> Result<Response<proto::ImportSwapsResponse>, Status> {
        let on = ("swap", "");
        let by = (self.audit.admit(&request, Action::ImportSwaps, on)).await?;
        let answer = swaps::import(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_tips(
        &self,
        request: Request<proto::ListTipsRequest>,
    ) -> Result<Response<proto::ListTipsResponse>, Status> {
        let on = ("tip", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = tips::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reverse_tip(
        &self,
        request: Request<proto::ReverseTipRequest>,
    ) -> Result<Response<proto::ReverseTipResponse>, Status> {
        let on = ("tip", request.get_ref().tip.as_str());
        let by = self.audit.admit(&request, Action::ReverseTip, on).await?;
        let answer = tips::reverse(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_swaps(
        &self,
        request: Request<proto::ListSwapsRequest>,
    ) -> Result<Response<proto::ListSwapsResponse>, Status> {
        let on = ("swap", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = swaps::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reverse_swap(
        &self,
        request: Request<proto::ReverseSwapRequest>,
    ) -> Result<Response<proto::ReverseSwapResponse>, Status> {
        let on = ("swap", request.get_ref().swap.as_str());
        let by = self.audit.admit(&request, Action::ReverseSwap, on).await?;
        let answer = swaps::reverse(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_account_balances(
        &self,
        request: Request<proto::ListBalancesRequest>,
    ) -> Result<Response<proto::ListBalancesResponse>, Status> {
        let on = ("currency", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = balances::list(&self.pool, None, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn create_exchange(
        &self,
        request: Request<proto::CreateExchangeRequest>,
    ) -> Result<Response<proto::CreateExchangeResponse>, Status> {
        let on = ("exchange", request.get_ref().name.as_str());
        let by = (self.audit.admit(&request, Action::CreateExchange, on)).await?;
        let answer = exchanges::create(self, by, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_exchanges(
        &self,
        request: Request<proto::ListExchangesRequest>,
    ) -> Result<Response<proto::ListExchangesResponse>, Status> {
        let on = ("exchange", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let answer = exchanges::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn revoke_exchange(
        &self,
        request: Request<proto::RevokeExchangeRequest>,
    ) -> Result<Response<proto::RevokeExchangeResponse>, Status> {
        let on = ("exchange", request.get_ref().name.as_str());
        let by = (self.audit.admit(&request, Action::RevokeExchange, on)).await?;
        let answer = exchanges::revoke(self, by, request.into_inner()).await?;
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
        match self.run(Command::Reverse(by, reverse)).await? {
            Outcome::Reversed(is_new) => Ok(!is_new),
            other => Err(unexpected_outcome(&other)),
        }
    }

    async fn run(&self, command: Command) -> Result<Outcome, Fault> {
        let (outcome, _) = self.writer.write(command).await?;
        Ok(outcome)
    }
}
