//! gateway.v1.StaffService: accounts, plans, keys and switches, for staff. One file per subject.

mod accounts;
mod key_requests;
mod keys;
mod switches;

use std::future::{Ready, ready};
use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::Fault;
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

/// Implements the service by a table: the function that each method calls, the action that the role of a member must allow, and the entity
/// that the audit names.
macro_rules! methods {
    (
        reads { $($read:ident($asked:ident) -> $read_response:ident = $list:path, on $read_entity:literal, $read_name:expr;)* }
        changes { $($change:ident($request:ident) -> $response:ident = $apply:path, $action:ident on $entity:literal, $name:expr;)* }
    ) => {
        #[tonic::async_trait]
        impl StaffService for Staff {
            $(async fn $read(
                &self,
                request: Request<proto::$asked>,
            ) -> Result<Response<proto::$read_response>, Status> {
                let name: fn(&proto::$asked) -> &str = $read_name;
                let on = ($read_entity, name(request.get_ref()));
                self.audit.admit(&request, Action::Look, on).await?;
                respond($list(self, request.into_inner()).await)
            })*

            $(async fn $change(
                &self,
                request: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                let name: fn(&proto::$request) -> &str = $name;
                let on = ($entity, name(request.get_ref()));
                let by = self.audit.admit(&request, Action::$action, on).await?;
                respond($apply(self, by, request.into_inner()).await)
            })*

            async fn list_audit(
                &self,
                request: Request<ListAuditRequest>,
            ) -> Result<Response<ListAuditResponse>, Status> {
                self.audit.list::<Action>(request).await
            }
        }
    };
}

methods! {
    reads {
        list_accounts(ListAccountsRequest) -> ListAccountsResponse = accounts::list, on "account", |_| "";
        get_account(GetAccountRequest) -> GetAccountResponse = accounts::get, on "account", |it| &it.account_id;
        list_plans(ListPlansRequest) -> ListPlansResponse = list_plans, on "plan", |_| "";
        list_keys(ListKeysRequest) -> ListKeysResponse = keys::list, on "account", |it| &it.account_id;
        list_key_requests(ListKeyRequestsRequest) -> ListKeyRequestsResponse = key_requests::list, on "key_request", |_| "";
        list_switches(ListSwitchesRequest) -> ListSwitchesResponse = switches::list, on "switch", |_| "";
    }
    changes {
        create_account(CreateAccountRequest) -> CreateAccountResponse = accounts::create, CreateAccount on "account", |it| &it.name;
        set_account_plan(SetAccountPlanRequest) -> SetAccountPlanResponse = accounts::set_plan, SetPlan on "account", |it| &it.account_id;
        create_key(CreateKeyRequest) -> CreateKeyResponse = keys::create, CreateKey on "account", |it| &it.account_id;
        rotate_key(RotateKeyRequest) -> RotateKeyResponse = keys::rotate, RotateKey on "key", |it| &it.id;
        revoke_key(RevokeKeyRequest) -> RevokeKeyResponse = keys::revoke, RevokeKey on "key", |it| &it.id;
        request_key(RequestKeyRequest) -> RequestKeyResponse = key_requests::request, RequestKey on "account", |it| &it.account_id;
        approve_key(ApproveKeyRequest) -> ApproveKeyResponse = key_requests::approve, ApproveKey on "key_request", |it| &it.id;
        reject_key(RejectKeyRequest) -> RejectKeyResponse = key_requests::reject, RejectKey on "key_request", |it| &it.id;
        reveal_key(RevealKeyRequest) -> RevealKeyResponse = key_requests::reveal, RevealKey on "key_request", |it| &it.id;
        set_switch(SetSwitchRequest) -> SetSwitchResponse = switches::set, SetSwitch on "switch", |it| &it.name;
    }
}

fn list_plans(
    staff: &Staff,
    _: proto::ListPlansRequest,
) -> Ready<Result<proto::ListPlansResponse, Fault>> {
    ready(Ok((&*staff.operations.plans).into()))
}
