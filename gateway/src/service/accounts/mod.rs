//! gateway.v1.AccountsService: the account, keys and use of a person, for the dashboard.

mod account;
mod calls;
mod keys;
mod month_use;
mod token_changes;
mod tokens;

use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use kit::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operations::Operations;
use crate::call_log::CallLog;
use crate::domain::author::{ApiToken, Author};
use crate::domain::fields;
use crate::domain::staff_action::Action;
use crate::upstream::Upstream;

pub struct Accounts {
    pub operations: Arc<Operations>,
    pub call_log: CallLog,
    /// Lists the changes of endpoints by tokens.
    pub webhooks: Arc<Upstream>,
}

#[tonic::async_trait]
impl AccountsService for Accounts {
    async fn create_account(
        &self,
        request: Request<proto::AccountsServiceCreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        respond(account::create(self, request.into_inner()).await)
    }

    async fn get_account(
        &self,
        request: Request<proto::AccountsServiceGetAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceGetAccountResponse>, Status> {
        respond(account::get(self, request.into_inner()).await)
    }

    async fn change_account(
        &self,
        request: Request<proto::AccountsServiceChangeAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceChangeAccountResponse>, Status> {
        respond(account::change(self, request.into_inner()).await)
    }

    async fn list_plans(
        &self,
        _: Request<proto::AccountsServiceListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        let plans = self.operations.plans.iter().map(Into::into).collect();
        Ok(Response::new(proto::ListPlansResponse { plans }))
    }

    async fn list_switches(
        &self,
        _: Request<proto::AccountsServiceListSwitchesRequest>,
    ) -> Result<Response<proto::ListSwitchesResponse>, Status> {
        let settings = self.operations.list_switches().await?;
        let switches = settings.iter().map(|setting| proto::Switch {
            reason: String::new(),
            ..setting.into()
        });
        Ok(Response::new(proto::ListSwitchesResponse {
            switches: switches.collect(),
        }))
    }

    async fn list_keys(
        &self,
        request: Request<proto::AccountsServiceListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        respond(keys::list(self, request.into_inner()).await)
    }

    async fn create_key(
        &self,
        request: Request<proto::AccountsServiceCreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        respond(keys::create(self, request.into_inner()).await)
    }

    async fn request_key(
        &self,
        request: Request<proto::AccountsServiceRequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        respond(keys::request(self, request.into_inner()).await)
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::AccountsServiceListKeyRequestsRequest>,
    ) -> Result<Response<proto::ListKeyRequestsResponse>, Status> {
        respond(keys::list_requests(self, request.into_inner()).await)
    }

    async fn reveal_key(
        &self,
        request: Request<proto::AccountsServiceRevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        respond(keys::reveal(self, request.into_inner()).await)
    }

    async fn withdraw_key_requests(
        &self,
        request: Request<proto::AccountsServiceWithdrawKeyRequestsRequest>,
    ) -> Result<Response<proto::AccountsServiceWithdrawKeyRequestsResponse>, Status> {
        respond(keys::withdraw_requests(self, request.into_inner()).await)
    }

    async fn rotate_key(
        &self,
        request: Request<proto::AccountsServiceRotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        respond(keys::rotate(self, request.into_inner()).await)
    }

    async fn revoke_key(
        &self,
        request: Request<proto::AccountsServiceRevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        respond(keys::revoke(self, request.into_inner()).await)
    }

    async fn list_tokens(
        &self,
        request: Request<proto::AccountsServiceListTokensRequest>,
    ) -> Result<Response<proto::AccountsServiceListTokensResponse>, Status> {
        respond(tokens::list(self, request.into_inner()).await)
    }

    async fn create_token(
        &self,
        request: Request<proto::AccountsServiceCreateTokenRequest>,
    ) -> Result<Response<proto::AccountsServiceCreateTokenResponse>, Status> {
        respond(tokens::create(self, request.into_inner()).await)
    }

    async fn revoke_token(
        &self,
        request: Request<proto::AccountsServiceRevokeTokenRequest>,
    ) -> Result<Response<proto::AccountsServiceRevokeTokenResponse>, Status> {
        respond(tokens::revoke(self, request.into_inner()).await)
    }

    async fn list_token_changes(
        &self,
        request: Request<proto::AccountsServiceListTokenChangesRequest>,
    ) -> Result<Response<proto::AccountsServiceListTokenChangesResponse>, Status> {
        respond(token_changes::list(self, request.into_inner()).await)
    }

    async fn list_expiring_keys(
        &self,
        request: Request<proto::AccountsServiceListExpiringKeysRequest>,
    ) -> Result<Response<proto::AccountsServiceListExpiringKeysResponse>, Status> {
        respond(keys::list_expiring(self, request.into_inner()).await)
    }

    async fn list_month_use(
        &self,
        request: Request<proto::AccountsServiceListMonthUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListMonthUseResponse>, Status> {
        respond(month_use::list(self, request.into_inner()).await)
    }

    async fn list_use(
        &self,
        request: Request<proto::AccountsServiceListUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListUseResponse>, Status> {
        respond(calls::list_use(self, &request.into_inner()).await)
    }

    async fn list_calls(
        &self,
        request: Request<proto::AccountsServiceListCallsRequest>,
    ) -> Result<Response<proto::AccountsServiceListCallsResponse>, Status> {
        respond(calls::list_calls(self, &request.into_inner()).await)
    }
}

/// The account and the author of a change. After an error, they are arbitrary.
fn account_and_author(
    bad: &mut BadFields,
    account: &str,
    actor: Option<proto::Actor>,
    action: Action,
) -> (Uuid, Author) {
    let actor = actor.unwrap_or_default();
    if let Some(token) = actor.token {
        let author = ApiToken {
            id: bad.id("actor.token.id", &token.id),
            name: token.name,
            address: fields::address(bad, "actor.address", &actor.address),
        };
        let account = bad.id("account_id", account);
        return (account, Author::Token(author, action));
    }
    let person = fields::person(bad, &actor.person_id, &actor.address);
    let account = bad.id("account_id", account);
    (account, Author::Person(person, action))
}
