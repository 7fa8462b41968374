//! RPCs for the account itself.

use contracts::gateway::v1 as proto;
use kit::{Fault, pg, timestamp};

use super::{Accounts, account_and_author};
use crate::domain::account::{Account, Identifier};
use crate::domain::fields::Problems;
use crate::domain::quota::{AccountMonth, Month};
use crate::domain::staff_action::Action;
use crate::store::{accounts, keys, month_use};
use crate::write::{AccountUpdate, Command};

/// The plan of a new account.
const FIRST_PLAN: &str = "free";

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateAccountRequest,
) -> Result<proto::CreateAccountResponse, Fault> {
    let operations = &accounts.operations;
    let mut problems = Problems::default();
    let (id, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::CreateAccount,
    );
    let account = Account {
        id,
        name: problems.name("name", &request.name),
        email: problems.email("email", &request.email),
        plan: FIRST_PLAN.to_owned(),
        created_at: operations.clock.now(),
        revision: 1,
    };
    problems.finish()?;
    let command = Command::CreateAccount(account);
    let account = Some(operations.write_account(by, command).await?);
    Ok(proto::CreateAccountResponse { account })
}

pub(super) async fn get(
    service: &Accounts,
    request: proto::AccountsServiceGetAccountRequest,
) -> Result<proto::AccountsServiceGetAccountResponse, Fault> {
    let operations = &service.operations;
    let mut problems = Problems::default();
    let account = if request.account_id.is_empty() {
        let email = problems.email("email", &request.email);
        problems.finish()?;
        let found = accounts::with_address(&operations.pool, &email).await;
        let found = found.map_err(|error| pg::fault(&error))?.into_iter().next();
        found.ok_or_else(|| Identifier::Email(email).unknown())?
    } else {
        let id = problems.id("account_id", &request.account_id);
        problems.finish()?;
        operations.account(&Identifier::Id(id)).await?
    };
    let (plan, now) = (
        operations.plans.get_or_cheapest(&account.plan),
        operations.clock.now(),
    );
    let month = AccountMonth {
        account: account.id,
        month: Month::of(now),
    };
    let read = async {
        let mut connection = operations.pool.acquire().await?;
        let working = keys::count_working(&mut connection, account.id, now).await?;
        let used = month_use::read(&mut connection, &[month]).await?;
        Ok::<_, sqlx::Error>((working, used.get(&month).copied().unwrap_or_default()))
    };
    let (working, used) = read.await.map_err(|error| pg::fault(&error))?;
    let seconds = |grace: std::time::Duration| grace.as_secs().try_into().unwrap_or(u32::MAX);
    Ok(proto::AccountsServiceGetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(proto::MonthUse {
            starts_at: Some(timestamp::encode(month.month.start())),
            resets_at: Some(timestamp::encode(month.month.end())),
            used,
            limit: plan.calls_per_month,
        }),
        working_keys: working.try_into().unwrap_or_default(),
        least_grace_seconds: seconds(operations.grace.least.min(operations.grace.most)),
        most_grace_seconds: seconds(operations.grace.most),
    })
}

pub(super) async fn change(
    accounts: &Accounts,
    request: proto::AccountsServiceChangeAccountRequest,
) -> Result<proto::AccountsServiceChangeAccountResponse, Fault> {
    let mut problems = Problems::default();
    let (id, by) = account_and_author(
        &mut problems,
        &request.account_id,
        request.actor,
        Action::ChangeAccount,
    );
    let name = request.name.map(|name| problems.name("name", &name));
    let email = request.email.map(|email| problems.email("email", &email));
    problems.finish()?;
    let command = Command::ChangeAccount(AccountUpdate { id, name, email });
    let account = Some(accounts.operations.write_account(by, command).await?);
    Ok(proto::AccountsServiceChangeAccountResponse { account })
}
