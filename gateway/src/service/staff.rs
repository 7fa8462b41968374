//! gateway.v1.StaffService: accounts, plans, keys and switches, for staff.

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::ids;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::keys::key_fields;
use super::{Services, accounts, key_requests, keys, switches};
use crate::domain::author::Author;
use crate::domain::staff_action::Action;

pub struct Staff(pub Arc<Services>);

/// Implements the service by a table: the action that the role of a member must allow, the entity that the audit names, and what each method
/// does.
macro_rules! methods {
    (
        reads { $($read:ident($asked:ident) -> $listed:ident on $seen:literal, $seen_name:expr; |$s:ident, $it:ident| $list:expr;)* }
        changes { $($change:ident($request:ident) -> $response:ident, $action:ident on $entity:literal, $name:expr;
            |$services:ident, $by:ident, $asks:ident| $apply:expr;)* }
    ) => {
        #[tonic::async_trait]
        impl StaffService for Staff {
            $(async fn $read(
                &self,
                request: Request<proto::$asked>,
            ) -> Result<Response<proto::$listed>, Status> {
                let $s = &*self.0;
                let name: fn(&proto::$asked) -> &str = $seen_name;
                let on = ($seen, name(request.get_ref()));
                $s.audit.admit(&request, Action::Look, on).await?;
                let $it = request.into_inner();
                respond($list.await)
            })*

            $(async fn $change(
                &self,
                request: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                let $services = &*self.0;
                let name: fn(&proto::$request) -> &str = $name;
                let on = ($entity, name(request.get_ref()));
                let $by = $services.audit.admit(&request, Action::$action, on).await?;
                let $by = Author::Staff($by);
                let $asks = request.into_inner();
                respond($apply.await)
            })*

            async fn list_audit(
                &self,
                request: Request<ListAuditRequest>,
            ) -> Result<Response<ListAuditResponse>, Status> {
                self.0.audit.list::<Action>(request).await
            }
        }
    };
}

methods! {
    reads {
        list_accounts(ListAccountsRequest) -> ListAccountsResponse on "account", |_| ""; |s, it| accounts::list(s, it);
        get_account(GetAccountRequest) -> GetAccountResponse on "account", |it| &it.account_id; |s, it| accounts::get(s, &it.account_id);
        list_plans(ListPlansRequest) -> ListPlansResponse on "plan", |_| ""; |s, _it| accounts::list_plans(s);
        list_keys(ListKeysRequest) -> ListKeysResponse on "account", |it| &it.account_id; |s, it| async {
            accounts::find(s, &it.account_id).await?;
            keys::list(s, &it.account_id).await
        };
        list_key_requests(ListKeyRequestsRequest) -> ListKeyRequestsResponse on "key_request", |_| ""; |s, it| key_requests::list(s, it);
        list_switches(ListSwitchesRequest) -> ListSwitchesResponse on "switch", |_| ""; |s, _it| switches::list(s);
    }
    changes {
        create_account(CreateAccountRequest) -> CreateAccountResponse, CreateAccount on "account", |it| &it.name; |s, by, it| {
            let id = if it.id.is_empty() { ids::row_id().to_string() } else { it.id };
            async move { accounts::create(s, by, &id, &it.name, &it.plan).await }
        };
        set_account_plan(SetAccountPlanRequest) -> SetAccountPlanResponse, SetPlan on "account", |it| &it.account_id;
            |s, by, it| accounts::set_plan(s, by, &it.account_id, &it.plan);
        create_key(CreateKeyRequest) -> CreateKeyResponse, CreateKey on "account", |it| &it.account_id;
            |s, by, it| keys::create(s, by, &it.account_id, it.mode, key_fields!(it), "");
        rotate_key(RotateKeyRequest) -> RotateKeyResponse, RotateKey on "key", |it| &it.id; |s, by, it| keys::rotate(s, by, &it.id, false, "");
        revoke_key(RevokeKeyRequest) -> RevokeKeyResponse, RevokeKey on "key", |it| &it.id; |s, by, it| keys::revoke(s, by, &it.id);
        request_key(RequestKeyRequest) -> RequestKeyResponse, RequestKey on "account", |it| &it.account_id;
            |s, by, it| key_requests::request(s, by, &it.account_id, key_fields!(it), "");
        approve_key(ApproveKeyRequest) -> ApproveKeyResponse, ApproveKey on "key_request", |it| &it.id;
            |s, by, it| key_requests::approve(s, by, &it.id);
        reject_key(RejectKeyRequest) -> RejectKeyResponse, RejectKey on "key_request", |it| &it.id;
            |s, by, it| key_requests::reject(s, by, &it.id, &it.reason);
        reveal_key(RevealKeyRequest) -> RevealKeyResponse, RevealKey on "key_request", |it| &it.id;
            |s, by, it| key_requests::reveal(s, by, &it.id);
        set_switch(SetSwitchRequest) -> SetSwitchResponse, SetSwitch on "switch", |it| &it.name; |s, by, it| switches::set(s, by, it);
    }
}
