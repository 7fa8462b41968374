//! RPCs for accounts and their plans.

use contracts::gateway::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::{Fault, ids};
use uuid::Uuid;

use super::Staff;
use crate::domain::account::Account;
use crate::domain::fields;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::accounts;
use crate::write;

pub(super) async fn create(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::CreateAccountRequest,
) -> Result<proto::CreateAccountResponse, Fault> {
    let operations = &staff.operations;
    let mut bad = BadFields::default();
    let plan: &str = match request.plan.as_str() {
        "" => &operations.plans.of_new_accounts().name,
        plan => plan,
    };
    let id = match request.id.as_str() {
        "" => ids::row_id(),
        id => bad.id("id", id),
    };
    let account = Account {
        id,
        name: fields::name(&mut bad, "name", &request.name),
        plan: fields::plan(&mut bad, "plan", plan, &operations.plans),
        created_at: operations.clock.now(),
        revision: 1,
    };
    bad.check()?;
    let account = write::accounts::create(&operations.producer, &by.into(), account).await?;
    Ok(proto::CreateAccountResponse {
        account: Some((&account).into()),
    })
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListAccountsRequest,
) -> Result<proto::ListAccountsResponse, Fault> {
    let mut bad = BadFields::default();
    let binding = Binding::new("accounts", []);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let (pool, rows) = (&staff.operations.pool, page.rows_to_fetch());
    let mut found = accounts::page(pool, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |account| account.id)?;
    Ok(proto::ListAccountsResponse {
        accounts: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn get(
    staff: &Staff,
    request: proto::GetAccountRequest,
) -> Result<proto::GetAccountResponse, Fault> {
    let account = find(staff, &request.account_id).await?;
    let plan = staff.operations.plans.get_or_cheapest(&account.plan);
    let operations = &staff.operations;
    Ok(proto::GetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(operations.account_month(account.id, plan).await?),
        working_keys: operations.working_keys(account.id).await?,
    })
}

pub(super) async fn set_plan(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::SetAccountPlanRequest,
) -> Result<proto::SetAccountPlanResponse, Fault> {
    let operations = &staff.operations;
    let mut bad = BadFields::default();
    let id = bad.id("account_id", &request.account_id);
    let plan = fields::plan(&mut bad, "plan", &request.plan, &operations.plans);
    bad.check()?;
    let (producer, by) = (&operations.producer, by.into());
    let account = write::accounts::set_plan(producer, &by, id, &plan).await?;
    Ok(proto::SetAccountPlanResponse {
        account: Some((&account).into()),
    })
}

/// Finds an account by its id.
pub(super) async fn find(staff: &Staff, id: &str) -> Result<Account, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id("account_id", id);
    bad.check()?;
    staff.operations.account(id).await
}
