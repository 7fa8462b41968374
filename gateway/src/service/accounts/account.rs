//! RPCs for the account itself.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::{Accounts, account_and_author, switches};
use crate::domain::account::Account;
use crate::domain::fields;
use crate::domain::staff_action::Action;
use crate::write;

pub(super) async fn create(
    accounts: &Accounts,
    request: proto::AccountsServiceCreateAccountRequest,
) -> Result<proto::CreateAccountResponse, Fault> {
    let operations = &accounts.operations;
    let mut bad = BadFields::default();
    let (id, by) = account_and_author(
        &mut bad,
        &request.account_id,
        request.actor,
        Action::CreateAccount,
    );
    let account = Account {
        id,
        name: fields::name(&mut bad, "name", &request.name),
        plan: operations.plans.of_new_accounts().name.clone(),
        created_at: operations.clock.now(),
        revision: 1,
    };
    bad.check()?;
    let account = write::accounts::create(&operations.producer, &by, account).await?;
    Ok(proto::CreateAccountResponse {
        account: Some((&account).into()),
    })
}

pub(super) async fn get(
    accounts: &Accounts,
    request: proto::AccountsServiceGetAccountRequest,
) -> Result<proto::AccountsServiceGetAccountResponse, Fault> {
    let operations = &accounts.operations;
    let mut bad = BadFields::default();
    let id = bad.id("account_id", &request.account_id);
    bad.check()?;
    let account = operations.account(id).await?;
    let plan = operations.plans.get_or_cheapest(&account.plan);
    let month = operations.account_month(account.id, plan).await?;
    Ok(proto::AccountsServiceGetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(month),
        switches: switches(accounts).await?,
    })
}

pub(super) async fn change(
    accounts: &Accounts,
    request: proto::AccountsServiceChangeAccountRequest,
) -> Result<proto::AccountsServiceChangeAccountResponse, Fault> {
    let mut bad = BadFields::default();
    let (id, by) = account_and_author(
        &mut bad,
        &request.account_id,
        request.actor,
        Action::ChangeAccount,
    );
    let name = fields::name(&mut bad, "name", &request.name);
    bad.check()?;
    let producer = &accounts.operations.producer;
    let account = write::accounts::rename(producer, &by, id, &name).await?;
    Ok(proto::AccountsServiceChangeAccountResponse {
        account: Some((&account).into()),
    })
}
