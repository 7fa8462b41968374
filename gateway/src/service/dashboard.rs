//! gateway.v1.AccountsService: the account, keys and use of a person, for the dashboard.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::keys::KeyFields;
use super::{Services, accounts, calls, key_requests, keys, month_use, switches};
use crate::domain::author::{Author, Person};
use crate::domain::key::Mode;
use crate::domain::staff_action::Action;

pub struct Dashboard(pub Arc<Services>);

#[tonic::async_trait]
impl AccountsService for Dashboard {
    async fn get_account(
        &self,
        request: Request<proto::AccountsServiceGetAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceGetAccountResponse>, Status> {
        let it = request.into_inner();
        respond(get_account(&self.0, &it.account_id).await)
    }

    async fn list_account_names(
        &self,
        request: Request<proto::ListAccountNamesRequest>,
    ) -> Result<Response<proto::ListAccountNamesResponse>, Status> {
        let it = request.into_inner();
        respond(accounts::list_names(&self.0, &it.account_ids).await)
    }

    async fn list_plans(
        &self,
        _: Request<proto::AccountsServiceListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        respond(accounts::list_plans(&self.0).await)
    }

    async fn list_switches(
        &self,
        _: Request<proto::AccountsServiceListSwitchesRequest>,
    ) -> Result<Response<proto::ListSwitchesResponse>, Status> {
        respond(switches::list_public(&self.0).await)
    }

    async fn list_keys(
        &self,
        request: Request<proto::AccountsServiceListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        let it = request.into_inner();
        respond(keys::list(&self.0, &it.account_id).await)
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::AccountsServiceListKeyRequestsRequest>,
    ) -> Result<Response<proto::AccountsServiceListKeyRequestsResponse>, Status> {
        let it = request.into_inner();
        respond(key_requests::list_own(&self.0, &it.account_id).await)
    }

    async fn list_month_use(
        &self,
        request: Request<proto::AccountsServiceListMonthUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListMonthUseResponse>, Status> {
        let it = request.into_inner();
        respond(month_use::list(&self.0, it).await)
    }

    async fn list_use(
        &self,
        request: Request<proto::AccountsServiceListUseRequest>,
    ) -> Result<Response<proto::AccountsServiceListUseResponse>, Status> {
        let it = request.into_inner();
        respond(calls::list_use(&self.0, it).await)
    }

    async fn list_calls(
        &self,
        request: Request<proto::AccountsServiceListCallsRequest>,
    ) -> Result<Response<proto::AccountsServiceListCallsResponse>, Status> {
        let it = request.into_inner();
        respond(calls::list_calls(&self.0, it).await)
    }

    async fn create_account(
        &self,
        request: Request<proto::AccountsServiceCreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::CreateAccount)?;
        respond(accounts::create(&self.0, by, &it.account_id, &it.name, "").await)
    }

    async fn change_account(
        &self,
        request: Request<proto::AccountsServiceChangeAccountRequest>,
    ) -> Result<Response<proto::AccountsServiceChangeAccountResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::ChangeAccount)?;
        respond(accounts::rename(&self.0, by, &it.account_id, &it.name).await)
    }

    async fn create_key(
        &self,
        request: Request<proto::AccountsServiceCreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::CreateKey)?;
        let fields = KeyFields::new(it.name, it.kind, it.may_write, it.game);
        respond(
            keys::create(&self.0, by, &it.account_id, Mode::Test.into(), fields, &it.form_id).await,
        )
    }

    async fn request_key(
        &self,
        request: Request<proto::AccountsServiceRequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RequestKey)?;
        let fields = KeyFields::new(it.name, it.kind, it.may_write, it.game);
        respond(key_requests::request(&self.0, by, &it.account_id, fields, &it.form_id).await)
    }

    async fn reveal_key(
        &self,
        request: Request<proto::AccountsServiceRevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RevealKey)?;
        respond(key_requests::reveal(&self.0, by, &it.id).await)
    }

    async fn withdraw_key_request(
        &self,
        request: Request<proto::WithdrawKeyRequestRequest>,
    ) -> Result<Response<proto::WithdrawKeyRequestResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RejectKey)?;
        respond(key_requests::withdraw(&self.0, by, &it.id).await)
    }

    async fn rotate_key(
        &self,
        request: Request<proto::AccountsServiceRotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RotateKey)?;
        respond(keys::rotate(&self.0, by, &it.id, it.revoke_old, &it.form_id).await)
    }

    async fn revoke_key(
        &self,
        request: Request<proto::AccountsServiceRevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RevokeKey)?;
        respond(keys::revoke(&self.0, by, &it.id).await)
    }

    async fn close_account(
        &self,
        request: Request<proto::CloseAccountRequest>,
    ) -> Result<Response<proto::CloseAccountResponse>, Status> {
        let it = request.into_inner();
        let by = person(it.actor.as_ref(), &it.account_id, Action::RevokeKey)?;
        respond(accounts::close(&self.0, by, &it.account_id).await)
    }
}

/// An account, with what a page of the dashboard shows of it.
async fn get_account(
    services: &Services,
    account: &str,
) -> Result<proto::AccountsServiceGetAccountResponse, Fault> {
    let account = accounts::find(services, account).await?;
    let plan = services.plans.get_or_cheapest(&account.plan);
    Ok(proto::AccountsServiceGetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(month_use::by_account(services, account.id, plan).await?),
        switches: switches::list_public(services).await?.switches,
    })
}

/// The person who makes a change in an account.
fn person(actor: Option<&proto::Actor>, account: &str, action: Action) -> Result<Author, Fault> {
    let mut bad = BadFields::default();
    let (person, address) = actor.map_or(("", ""), |actor| (&*actor.person_id, &*actor.address));
    let person = Person {
        id: bad.id("actor.person_id", person),
        account: bad.id("account_id", account),
        address: address.parse().unwrap_or_else(|_not_an_address| {
            bad.add("actor.address", "Give the IP address of the caller.");
            IpAddr::V4(Ipv4Addr::UNSPECIFIED)
        }),
    };
    bad.check()?;
    Ok(Author::Person(person, action))
}
