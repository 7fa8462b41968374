//! gateway.v1.AccountsService: the account, keys and use of a person, for the dashboard.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::keys::key_fields;
use super::{Services, accounts, calls, key_requests, keys, month_use, switches};
use crate::domain::author::{Author, Person};
use crate::domain::key::Mode;
use crate::domain::staff_action::Action;

pub struct Dashboard(pub Arc<Services>);

/// Implements the service by a table: what each method does. A change has the person who makes it.
macro_rules! methods {
    (
        reads { $($read:ident($asked:ident) -> $listed:ident = |$s:ident, $it:ident| $list:expr;)* }
        changes { $($change:ident($request:ident) -> $response:ident, $action:ident = |$services:ident, $by:ident, $asks:ident| $apply:expr;)* }
    ) => {
        #[tonic::async_trait]
        impl AccountsService for Dashboard {
            $(async fn $read(
                &self,
                request: Request<proto::$asked>,
            ) -> Result<Response<proto::$listed>, Status> {
                let ($s, $it) = (&*self.0, request.into_inner());
                respond($list.await)
            })*

            $(async fn $change(
                &self,
                request: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                let ($services, $asks) = (&*self.0, request.into_inner());
                let $by = person($asks.actor.as_ref(), &$asks.account_id, Action::$action)?;
                respond($apply.await)
            })*
        }
    };
}

methods! {
    reads {
        get_account(AccountsServiceGetAccountRequest) -> AccountsServiceGetAccountResponse = |s, it| get_account(s, &it.account_id);
        list_account_names(ListAccountNamesRequest) -> ListAccountNamesResponse = |s, it| accounts::list_names(s, &it.account_ids);
        list_plans(AccountsServiceListPlansRequest) -> ListPlansResponse = |s, _it| accounts::list_plans(s);
        list_switches(AccountsServiceListSwitchesRequest) -> ListSwitchesResponse = |s, _it| switches::list_public(s);
        list_keys(AccountsServiceListKeysRequest) -> ListKeysResponse = |s, it| keys::list(s, &it.account_id);
        list_key_requests(AccountsServiceListKeyRequestsRequest) -> AccountsServiceListKeyRequestsResponse =
            |s, it| key_requests::list_own(s, &it.account_id);
        list_month_use(AccountsServiceListMonthUseRequest) -> AccountsServiceListMonthUseResponse = |s, it| month_use::list(s, it);
        list_use(AccountsServiceListUseRequest) -> AccountsServiceListUseResponse = |s, it| calls::list_use(s, it);
        list_calls(AccountsServiceListCallsRequest) -> AccountsServiceListCallsResponse = |s, it| calls::list_calls(s, it);
    }
    changes {
        create_account(AccountsServiceCreateAccountRequest) -> CreateAccountResponse, CreateAccount =
            |s, by, it| accounts::create(s, by, &it.account_id, &it.name, "");
        change_account(AccountsServiceChangeAccountRequest) -> AccountsServiceChangeAccountResponse, ChangeAccount =
            |s, by, it| accounts::rename(s, by, &it.account_id, &it.name);
        create_key(AccountsServiceCreateKeyRequest) -> CreateKeyResponse, CreateKey =
            |s, by, it| keys::create(s, by, &it.account_id, Mode::Test.into(), key_fields!(it), &it.form_id);
        request_key(AccountsServiceRequestKeyRequest) -> RequestKeyResponse, RequestKey =
            |s, by, it| key_requests::request(s, by, &it.account_id, key_fields!(it), &it.form_id);
        reveal_key(AccountsServiceRevealKeyRequest) -> RevealKeyResponse, RevealKey = |s, by, it| key_requests::reveal(s, by, &it.id);
        withdraw_key_request(WithdrawKeyRequestRequest) -> WithdrawKeyRequestResponse, RejectKey =
            |s, by, it| key_requests::withdraw(s, by, &it.id);
        rotate_key(AccountsServiceRotateKeyRequest) -> RotateKeyResponse, RotateKey =
            |s, by, it| keys::rotate(s, by, &it.id, it.revoke_old, &it.form_id);
        revoke_key(AccountsServiceRevokeKeyRequest) -> RevokeKeyResponse, RevokeKey = |s, by, it| keys::revoke(s, by, &it.id);
        close_account(CloseAccountRequest) -> CloseAccountResponse, RevokeKey = |s, by, it| accounts::close(s, by, &it.account_id);
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
