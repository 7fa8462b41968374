//! gateway.v1.StaffService: accounts, plans, keys and switches, for staff.

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::ids;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::keys::KeyFields;
use super::{Services, accounts, key_requests, keys, switches};
use crate::domain::author::Author;
use crate::domain::staff_action::Action;

pub struct Staff(pub Arc<Services>);

impl Staff {
    /// The member of staff who makes a change, if their role allows it.
    async fn author<T>(
        &self,
        request: &Request<T>,
        action: Action,
        on: (&str, &str),
    ) -> Result<Author, Status> {
        Ok(Author::Staff(self.0.audit.admit(request, action, on).await?))
    }

    async fn admit_read<T>(&self, request: &Request<T>, on: (&str, &str)) -> Result<(), Status> {
        self.0.audit.admit(request, Action::Look, on).await.map(|_by| ())
    }
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn list_accounts(
        &self,
        request: Request<proto::ListAccountsRequest>,
    ) -> Result<Response<proto::ListAccountsResponse>, Status> {
        self.admit_read(&request, ("account", "")).await?;
        let it = request.into_inner();
        respond(accounts::list(&self.0, it).await)
    }

    async fn get_account(
        &self,
        request: Request<proto::GetAccountRequest>,
    ) -> Result<Response<proto::GetAccountResponse>, Status> {
        self.admit_read(&request, ("account", &request.get_ref().account_id)).await?;
        let it = request.into_inner();
        respond(accounts::get(&self.0, &it.account_id).await)
    }

    async fn list_plans(
        &self,
        request: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        self.admit_read(&request, ("plan", "")).await?;
        respond(accounts::list_plans(&self.0).await)
    }

    async fn list_keys(
        &self,
        request: Request<proto::ListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        self.admit_read(&request, ("account", &request.get_ref().account_id)).await?;
        let it = request.into_inner();
        let listed = async {
            accounts::find(&self.0, &it.account_id).await?;
            keys::list(&self.0, &it.account_id).await
        };
        respond(listed.await)
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::ListKeyRequestsRequest>,
    ) -> Result<Response<proto::ListKeyRequestsResponse>, Status> {
        self.admit_read(&request, ("key_request", "")).await?;
        let it = request.into_inner();
        respond(key_requests::list(&self.0, it).await)
    }

    async fn list_switches(
        &self,
        request: Request<proto::ListSwitchesRequest>,
    ) -> Result<Response<proto::ListSwitchesResponse>, Status> {
        self.admit_read(&request, ("switch", "")).await?;
        respond(switches::list(&self.0).await)
    }

    async fn create_account(
        &self,
        request: Request<proto::CreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let on = ("account", &*request.get_ref().name);
        let by = self.author(&request, Action::CreateAccount, on).await?;
        let it = request.into_inner();
        let id = if it.id.is_empty() { ids::row_id().to_string() } else { it.id };
        respond(accounts::create(&self.0, by, &id, &it.name, &it.plan).await)
    }

    async fn set_account_plan(
        &self,
        request: Request<proto::SetAccountPlanRequest>,
    ) -> Result<Response<proto::SetAccountPlanResponse>, Status> {
        let on = ("account", &*request.get_ref().account_id);
        let by = self.author(&request, Action::SetPlan, on).await?;
        let it = request.into_inner();
        respond(accounts::set_plan(&self.0, by, &it.account_id, &it.plan).await)
    }

    async fn create_key(
        &self,
        request: Request<proto::CreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let on = ("account", &*request.get_ref().account_id);
        let by = self.author(&request, Action::CreateKey, on).await?;
        let it = request.into_inner();
        let fields = KeyFields::new(it.name, it.kind, it.may_write, it.game);
        respond(keys::create(&self.0, by, &it.account_id, it.mode, fields, "").await)
    }

    async fn rotate_key(
        &self,
        request: Request<proto::RotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let on = ("key", &*request.get_ref().id);
        let by = self.author(&request, Action::RotateKey, on).await?;
        let it = request.into_inner();
        respond(keys::rotate(&self.0, by, &it.id, false, "").await)
    }

    async fn revoke_key(
        &self,
        request: Request<proto::RevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let on = ("key", &*request.get_ref().id);
        let by = self.author(&request, Action::RevokeKey, on).await?;
        let it = request.into_inner();
        respond(keys::revoke(&self.0, by, &it.id).await)
    }

    async fn request_key(
        &self,
        request: Request<proto::RequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        let on = ("account", &*request.get_ref().account_id);
        let by = self.author(&request, Action::RequestKey, on).await?;
        let it = request.into_inner();
        let fields = KeyFields::new(it.name, it.kind, it.may_write, it.game);
        respond(key_requests::request(&self.0, by, &it.account_id, fields, "").await)
    }

    async fn approve_key(
        &self,
        request: Request<proto::ApproveKeyRequest>,
    ) -> Result<Response<proto::ApproveKeyResponse>, Status> {
        let on = ("key_request", &*request.get_ref().id);
        let by = self.author(&request, Action::ApproveKey, on).await?;
        let it = request.into_inner();
        respond(key_requests::approve(&self.0, by, &it.id).await)
    }

    async fn reject_key(
        &self,
        request: Request<proto::RejectKeyRequest>,
    ) -> Result<Response<proto::RejectKeyResponse>, Status> {
        let on = ("key_request", &*request.get_ref().id);
        let by = self.author(&request, Action::RejectKey, on).await?;
        let it = request.into_inner();
        respond(key_requests::reject(&self.0, by, &it.id, &it.reason).await)
    }

    async fn reveal_key(
        &self,
        request: Request<proto::RevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        let on = ("key_request", &*request.get_ref().id);
        let by = self.author(&request, Action::RevealKey, on).await?;
        let it = request.into_inner();
        respond(key_requests::reveal(&self.0, by, &it.id).await)
    }

    async fn set_switch(
        &self,
        request: Request<proto::SetSwitchRequest>,
    ) -> Result<Response<proto::SetSwitchResponse>, Status> {
        let on = ("switch", &*request.get_ref().name);
        let by = self.author(&request, Action::SetSwitch, on).await?;
        let it = request.into_inner();
        respond(switches::set(&self.0, by, it).await)
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.0.audit.list::<Action>(request).await
    }
}
