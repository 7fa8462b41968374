//! gateway.v1.AccountsService: the account, keys and use of a person, for the dashboard.

mod account;
mod calls;
mod keys;
mod month_use;

use std::future::{Ready, ready};
use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::operations::Operations;
use crate::call_log::CallLog;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::staff_action::Action;

pub struct Accounts {
    pub operations: Arc<Operations>,
    pub call_log: CallLog,
}

/// Implements the service by a table: the function that each method calls.
macro_rules! methods {
    ($($method:ident($request:ident) -> $response:ident = $function:path;)*) => {
        #[tonic::async_trait]
        impl AccountsService for Accounts {
            $(async fn $method(
                &self,
                request: Request<proto::$request>,
            ) -> Result<Response<proto::$response>, Status> {
                respond($function(self, request.into_inner()).await)
            })*
        }
    };
}

methods! {
    create_account(AccountsServiceCreateAccountRequest) -> CreateAccountResponse = account::create;
    get_account(AccountsServiceGetAccountRequest) -> AccountsServiceGetAccountResponse = account::get;
    change_account(AccountsServiceChangeAccountRequest) -> AccountsServiceChangeAccountResponse = account::change;
    list_plans(AccountsServiceListPlansRequest) -> ListPlansResponse = list_plans;
    list_switches(AccountsServiceListSwitchesRequest) -> ListSwitchesResponse = list_switches;
    list_keys(AccountsServiceListKeysRequest) -> ListKeysResponse = keys::list;
    create_key(AccountsServiceCreateKeyRequest) -> CreateKeyResponse = keys::create;
    request_key(AccountsServiceRequestKeyRequest) -> RequestKeyResponse = keys::request;
    list_key_requests(AccountsServiceListKeyRequestsRequest) -> AccountsServiceListKeyRequestsResponse = keys::list_requests;
    reveal_key(AccountsServiceRevealKeyRequest) -> RevealKeyResponse = keys::reveal;
    withdraw_key_requests(AccountsServiceWithdrawKeyRequestsRequest) -> AccountsServiceWithdrawKeyRequestsResponse = keys::withdraw_requests;
    rotate_key(AccountsServiceRotateKeyRequest) -> RotateKeyResponse = keys::rotate;
    revoke_key(AccountsServiceRevokeKeyRequest) -> RevokeKeyResponse = keys::revoke;
    list_month_use(AccountsServiceListMonthUseRequest) -> AccountsServiceListMonthUseResponse = month_use::list;
    list_use(AccountsServiceListUseRequest) -> AccountsServiceListUseResponse = calls::list_use;
    list_calls(AccountsServiceListCallsRequest) -> AccountsServiceListCallsResponse = calls::list_calls;
}

fn list_plans(
    accounts: &Accounts,
    _: proto::AccountsServiceListPlansRequest,
) -> Ready<Result<proto::ListPlansResponse, Fault>> {
    ready(Ok((&*accounts.operations.plans).into()))
}

async fn list_switches(
    accounts: &Accounts,
    _: proto::AccountsServiceListSwitchesRequest,
) -> Result<proto::ListSwitchesResponse, Fault> {
    let switches = switches(accounts).await?;
    Ok(proto::ListSwitchesResponse { switches })
}

/// The switches without the reasons of staff.
async fn switches(accounts: &Accounts) -> Result<Vec<proto::Switch>, Fault> {
    let settings = accounts.operations.list_switches().await?;
    let switches = settings.iter().map(|setting| proto::Switch {
        reason: String::new(),
        ..setting.into()
    });
    Ok(switches.collect())
}

/// The account and the author of a change. After an error, they are arbitrary.
fn account_and_author(
    bad: &mut BadFields,
    account: &str,
    actor: Option<proto::Actor>,
    action: Action,
) -> (Uuid, Author) {
    let actor = actor.unwrap_or_default();
    let person = fields::person(bad, &actor.person_id, &actor.address);
    let account = bad.id("account_id", account);
    (account, Author::Person(person, action))
}
