//! gateway.v1.StaffService: accounts, plans, keys, account tokens and switches, for staff. One file per subject.

mod accounts;
mod key_requests;
mod keys;
mod switches;
mod tokens;

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::audit::Audit;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::operations::Operations;
use crate::domain::staff_action::Action;

pub struct Staff {
    pub operations: Arc<Operations>,
    /// Authorizes calls and records them.
    pub audit: Audit,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn create_account(
        &self,
        request: Request<proto::CreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let on = ("account", request.get_ref().email.as_str());
        let by = self
            .audit
            .admit(&request, Action::CreateAccount, on)
            .await?;
        respond(accounts::create(self, by, request.into_inner()).await)
    }

    async fn list_accounts(
        &self,
        request: Request<proto::ListAccountsRequest>,
    ) -> Result<Response<proto::ListAccountsResponse>, Status> {
        let on = ("account", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(accounts::list(self, request.into_inner()).await)
    }

    async fn get_account(
        &self,
        request: Request<proto::GetAccountRequest>,
    ) -> Result<Response<proto::GetAccountResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        self.audit.admit(&request, Action::Look, on).await?;
        respond(accounts::get(self, request.into_inner()).await)
    }

    async fn set_account_plan(
        &self,
        request: Request<proto::SetAccountPlanRequest>,
    ) -> Result<Response<proto::SetAccountPlanResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        let by = self.audit.admit(&request, Action::SetPlan, on).await?;
        respond(accounts::set_plan(self, by, request.into_inner()).await)
    }

    async fn list_plans(
        &self,
        request: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        let on = ("plan", "");
        self.audit.admit(&request, Action::Look, on).await?;
        let plans = self.operations.plans.iter().map(Into::into).collect();
        Ok(Response::new(proto::ListPlansResponse { plans }))
    }

    async fn create_key(
        &self,
        request: Request<proto::CreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        let by = self.audit.admit(&request, Action::CreateKey, on).await?;
        respond(keys::create(self, by, request.into_inner()).await)
    }

    async fn list_keys(
        &self,
        request: Request<proto::ListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        self.audit.admit(&request, Action::Look, on).await?;
        respond(keys::list(self, request.into_inner()).await)
    }

    async fn rotate_key(
        &self,
        request: Request<proto::RotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let on = ("key", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RotateKey, on).await?;
        respond(keys::rotate(self, by, request.into_inner()).await)
    }

    async fn revoke_key(
        &self,
        request: Request<proto::RevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let on = ("key", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RevokeKey, on).await?;
        respond(keys::revoke(self, by, request.into_inner()).await)
    }

    async fn request_key(
        &self,
        request: Request<proto::RequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        let by = self.audit.admit(&request, Action::RequestKey, on).await?;
        respond(key_requests::request(self, by, request.into_inner()).await)
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::ListKeyRequestsRequest>,
    ) -> Result<Response<proto::ListKeyRequestsResponse>, Status> {
        let on = ("key_request", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(key_requests::list(self, request.into_inner()).await)
    }

    async fn approve_key(
        &self,
        request: Request<proto::ApproveKeyRequest>,
    ) -> Result<Response<proto::ApproveKeyResponse>, Status> {
        let on = ("key_request", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::ApproveKey, on).await?;
        respond(key_requests::approve(self, by, request.into_inner()).await)
    }

    async fn reject_key(
        &self,
        request: Request<proto::RejectKeyRequest>,
    ) -> Result<Response<proto::RejectKeyResponse>, Status> {
        let on = ("key_request", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RejectKey, on).await?;
        respond(key_requests::reject(self, by, request.into_inner()).await)
    }

    async fn reveal_key(
        &self,
        request: Request<proto::RevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        let on = ("key_request", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RevealKey, on).await?;
        respond(key_requests::reveal(self, by, request.into_inner()).await)
    }

    async fn list_tokens(
        &self,
        request: Request<proto::ListTokensRequest>,
    ) -> Result<Response<proto::ListTokensResponse>, Status> {
        let on = ("account", request.get_ref().account.as_str());
        self.audit.admit(&request, Action::Look, on).await?;
        respond(tokens::list(self, request.into_inner()).await)
    }

    async fn revoke_token(
        &self,
        request: Request<proto::RevokeTokenRequest>,
    ) -> Result<Response<proto::RevokeTokenResponse>, Status> {
        let on = ("account_token", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RevokeToken, on).await?;
        respond(tokens::revoke(self, by, request.into_inner()).await)
    }

    async fn list_switches(
        &self,
        request: Request<proto::ListSwitchesRequest>,
    ) -> Result<Response<proto::ListSwitchesResponse>, Status> {
        let on = ("switch", "");
        self.audit.admit(&request, Action::Look, on).await?;
        respond(switches::list(self, request.into_inner()).await)
    }

    async fn set_switch(
        &self,
        request: Request<proto::SetSwitchRequest>,
    ) -> Result<Response<proto::SetSwitchResponse>, Status> {
        let on = ("switch", request.get_ref().name.as_str());
        let by = self.audit.admit(&request, Action::SetSwitch, on).await?;
        respond(switches::set(self, by, request.into_inner()).await)
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<Action>(request).await
    }
}
