//! gateway.v1.AccountsService: the account, keys and use of a person, for the dashboard.

mod account;
mod calls;
mod endpoints;
mod keys;
mod month_use;
mod token_changes;
mod tokens;

use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operations::Operations;
use crate::call_log::CallLog;
use crate::domain::author::{ApiToken, Author};
use crate::domain::fields::Problems;
use crate::domain::staff_action::Action;

pub struct Accounts {
    pub operations: Arc<Operations>,
    pub call_log: CallLog,
}

#[tonic::async_trait]
impl AccountsService for Accounts {
    async fn create_account(
        &self,
        request: Request<proto::AccountsServiceCreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let response = account::create(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn get_account(
        &self,
        request: Request<proto::AccountsServiceGetAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceGetAccountResponse>, Status> {
        let response = account::get(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn change_account(
        &self,
        request: Request<proto::AccountsServiceChangeAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceChangeAccountResponse>, Status> {
        let response = account::change(self, request.into_inner()).await?;
        Ok(Response::new(response))
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
        let response = keys::list(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn create_key(
        &self,
        request: Request<proto::AccountsServiceCreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let response = keys::create(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn request_key(
        &self,
        request: Request<proto::AccountsServiceRequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        let response = keys::request(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::AccountsServiceListKeyRequestsRequest>,
    ) -> Result<Response<proto::ListKeyRequestsResponse>, Status> {
        let response = keys::list_requests(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn reveal_key(
        &self,
        request: Request<proto::AccountsServiceRevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        let response = keys::reveal(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn withdraw_key_requests(
        &self,
        request: Request<proto::AccountsServiceWithdrawKeyRequestsRequest>,
    ) -> Result<Response<proto::AccountsServiceWithdrawKeyRequestsResponse>, Status> {
        let response = keys::withdraw_requests(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn rotate_key(
        &self,
        request: Request<proto::AccountsServiceRotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let response = keys::rotate(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn revoke_key(
        &self,
        request: Request<proto::AccountsServiceRevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let response = keys::revoke(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_tokens(
        &self,
        request: Request<proto::AccountsServiceListTokensRequest>,
    ) -> Result<Response<proto::AccountsServiceListTokensResponse>, Status> {
        let response = tokens::list(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn create_token(
        &self,
        request: Request<proto::AccountsServiceCreateTokenRequest>,
    ) -> Result<Response<proto::AccountsServiceCreateTokenResponse>, Status> {
        let response = tokens::create(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn revoke_token(
        &self,
        request: Request<proto::AccountsServiceRevokeTokenRequest>,
    ) -> Result<Response<proto::AccountsServiceRevokeTokenResponse>, Status> {
        let response = tokens::revoke(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_token_changes(
        &self,
        request: Request<proto::AccountsServiceListTokenChangesRequest>,
    ) -> Result<Response<proto::AccountsServiceListTokenChangesResponse>, Status> {
        let response = token_changes::list(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_expiring_keys(
        &self,
        request: Request<proto::AccountsServiceListExpiringKeysRequest>,
    ) -> Result<Response<proto::AccountsServiceListExpiringKeysResponse>, Status> {
        let response = keys::list_expiring(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_month_use(
        &self,
        request: Request<proto::AccountsServiceListMonthUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListMonthUseResponse>, Status> {
        let response = month_use::list(self, request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_use(
        &self,
        request: Request<proto::AccountsServiceListUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListUseResponse>, Status> {
        let response = calls::list_use(self, &request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn list_calls(
        &self,
        request: Request<proto::AccountsServiceListCallsRequest>,
    ) -> Result<Response<proto::AccountsServiceListCallsResponse>, Status> {
        let response = calls::list_calls(self, &request.into_inner()).await?;
        Ok(Response::new(response))
    }
}

/// The account and the author of a change. After an error, they are arbitrary.
fn account_and_author(
    problems: &mut Problems,
    account: &str,
    actor: Option<proto::Actor>,
    action: Action,
) -> (Uuid, Author) {
    let actor = actor.unwrap_or_default();
    if let Some(token) = actor.token {
        let author = ApiToken {
            id: problems.id("actor.token.id", &token.id),
            name: token.name,
            address: problems.address("actor.address", &actor.address),
        };
        let account = problems.id("account_id", account);
        return (account, Author::Token(author, action));
    }
    let person = problems.person(&actor.person_id, &actor.address);
    let account = problems.id("account_id", account);
    (account, Author::Person(person, action))
}
