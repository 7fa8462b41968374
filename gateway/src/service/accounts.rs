//! Operations on accounts and their plans.

use std::future::{Ready, ready};

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use uuid::Uuid;

use super::{Services, id, key_requests, month_use};
use crate::domain::account::{Account, unknown};
use crate::domain::author::Author;
use crate::domain::fields;
use crate::store::{accounts, keys};
use crate::write::accounts as write;

/// The most accounts whose names one call reads.
const MAX_NAMES: usize = 200;

/// Creates an account. Without a plan, it gets that of new accounts.
pub(super) async fn create(
    services: &Services,
    by: Author,
    account: &str,
    name: &str,
    plan: &str,
) -> Result<proto::CreateAccountResponse, Fault> {
    let plan = match plan {
        "" => &services.plans.for_new_accounts().name,
        plan => plan,
    };
    let mut bad = BadFields::default();
    let account = Account {
        id: bad.id("id", account),
        name: fields::name(&mut bad, "name", name),
        plan: fields::plan(&mut bad, "plan", plan, &services.plans),
        created_at: services.clock.now(),
        revision: 1,
    };
    bad.check()?;
    let account = write::create(&services.producer, &by, account).await?;
    Ok(proto::CreateAccountResponse { account: Some((&account).into()) })
}

pub(super) async fn list(
    services: &Services,
    request: proto::ListAccountsRequest,
) -> Result<proto::ListAccountsResponse, Fault> {
    let mut bad = BadFields::default();
    let binding = Binding::new("accounts", []);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let mut found = accounts::page(&services.pool, page.after, page.rows_to_fetch()).await?;
    let next_cursor = page.cut(&mut found, |account| account.id)?;
    Ok(proto::ListAccountsResponse {
        accounts: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

/// Every plan, cheapest first.
pub(super) fn list_plans(services: &Services) -> Ready<Result<proto::ListPlansResponse, Fault>> {
    ready(Ok((&*services.plans).into()))
}

/// An account, with what it uses of its plan.
pub(super) async fn get(
    services: &Services,
    account: &str,
) -> Result<proto::GetAccountResponse, Fault> {
    let account = find(services, account).await?;
    let plan = services.plans.get_or_cheapest(&account.plan);
    let working_keys = keys::count_working(&services.pool, account.id).await?;
    Ok(proto::GetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(month_use::by_account(services, account.id, plan).await?),
        working_keys: working_keys.try_into().unwrap_or_default(),
    })
}

/// The names of accounts, read in one statement.
pub(super) async fn list_names(
    services: &Services,
    ids: &[String],
) -> Result<proto::ListAccountNamesResponse, Fault> {
    let mut bad = BadFields::default();
    if ids.len() > MAX_NAMES {
        bad.add("account_ids", format!("Must be at most {MAX_NAMES} ids; got {}.", ids.len()));
    }
    let parsed: Result<Vec<Uuid>, _> = ids.iter().map(|id| id.parse()).collect();
    let ids = parsed.unwrap_or_else(|_not_an_id| {
        bad.add("account_ids", "Must be UUIDs.");
        Vec::new()
    });
    bad.check()?;
    let names = accounts::names(&services.pool, &ids).await?;
    let accounts = names.into_iter();
    let accounts =
        accounts.map(|(id, name)| proto::AccountName { account_id: id.to_string(), name });
    Ok(proto::ListAccountNamesResponse { accounts: accounts.collect() })
}

pub(super) async fn rename(
    services: &Services,
    by: Author,
    account: &str,
    name: &str,
) -> Result<proto::AccountsServiceChangeAccountResponse, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id("account_id", account);
    let name = fields::name(&mut bad, "name", name);
    bad.check()?;
    let account = write::rename(&services.producer, &by, id, &name).await?;
    Ok(proto::AccountsServiceChangeAccountResponse { account: Some((&account).into()) })
}

pub(super) async fn set_plan(
    services: &Services,
    by: Author,
    account: &str,
    plan: &str,
) -> Result<proto::SetAccountPlanResponse, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id("account_id", account);
    let plan = fields::plan(&mut bad, "plan", plan, &services.plans);
    bad.check()?;
    let account = write::set_plan(&services.producer, &by, id, &plan).await?;
    Ok(proto::SetAccountPlanResponse { account: Some((&account).into()) })
}

/// Withdraws the requests of an account that may still lead to a key, and revokes its keys. In this
/// order, no request leads to a key afterwards. A failure keeps none of the others; the first one
/// is returned.
pub(super) async fn close(
    services: &Services,
    by: Author,
    account: &str,
) -> Result<proto::CloseAccountResponse, Fault> {
    let account = id("account_id", account)?;
    let mut closed = key_requests::withdraw_all(services, &by, account).await;
    for key in keys::not_revoked(&services.pool, account).await? {
        let revoked = services.revoke(&by, account, key).await;
        closed = closed.and_then(|()| revoked.map(drop));
    }
    closed.map(|()| proto::CloseAccountResponse {})
}

/// Finds an account by its id.
pub(super) async fn find(services: &Services, account: &str) -> Result<Account, Fault> {
    let id = id("account_id", account)?;
    let found = accounts::find(&services.pool, id).await?;
    found.ok_or_else(|| unknown(id))
}
