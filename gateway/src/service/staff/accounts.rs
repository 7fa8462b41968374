//! RPCs for accounts and their plans.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::{Fault, ids, pg};

use super::Staff;
use crate::domain::account::Account;
use crate::domain::fields::Problems;
use crate::domain::staff_action::By;
use crate::service::operations::ResultPage;
use crate::store::accounts;
use crate::write::Command;

pub(super) async fn create(
    staff: &Staff,
    by: By,
    request: proto::CreateAccountRequest,
) -> Result<proto::CreateAccountResponse, Fault> {
    let operations = &staff.operations;
    let mut problems = Problems::default();
    let plan = match request.plan.as_str() {
        "" => "free",
        plan => plan,
    };
    let account = Account {
        id: ids::row_id(),
        name: problems.name("name", &request.name),
        email: problems.email("email", &request.email),
        plan: problems.plan("plan", plan, &operations.plans),
        created_at: operations.clock.now(),
        revision: 1,
    };
    problems.finish()?;
    let command = Command::CreateAccount(account);
    let account = Some(operations.write_account(by, command).await?);
    Ok(proto::CreateAccountResponse { account })
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListAccountsRequest,
) -> Result<proto::ListAccountsResponse, Fault> {
    let mut problems = Problems::default();
    let binding = Binding::new("accounts", []);
    let page = ResultPage::parse(&mut problems, binding, request.limit, &request.cursor);
    problems.finish()?;
    let mut found = accounts::page(&staff.operations.pool, page.after, page.rows_to_fetch())
        .await
        .map_err(|error| pg::fault(&error))?;
    let next_cursor = page.truncate(&mut found, |account| account.id)?;
    Ok(proto::ListAccountsResponse {
        accounts: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn get(
    staff: &Staff,
    request: proto::GetAccountRequest,
) -> Result<proto::GetAccountResponse, Fault> {
    let account = find(staff, &request.account).await?;
    Ok(proto::GetAccountResponse {
        account: Some((&account).into()),
    })
}

pub(super) async fn set_plan(
    staff: &Staff,
    by: By,
    request: proto::SetAccountPlanRequest,
) -> Result<proto::SetAccountPlanResponse, Fault> {
    let operations = &staff.operations;
    let mut problems = Problems::default();
    let identifier = problems.account("account", &request.account);
    let plan = problems.plan("plan", &request.plan, &operations.plans);
    problems.finish()?;
    let command = Command::SetPlan(identifier, plan);
    let account = Some(operations.write_account(by, command).await?);
    Ok(proto::SetAccountPlanResponse { account })
}

/// Finds an account by its id or its e-mail address.
pub(super) async fn find(staff: &Staff, text: &str) -> Result<Account, Fault> {
    let mut problems = Problems::default();
    let identifier = problems.account("account", text);
    problems.finish()?;
    staff.operations.account(&identifier).await
}
