//! RPCs for the account itself.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::bad_fields::BadFields;

use super::{Accounts, account_and_author};
use crate::domain::account::{Account, Identifier};
use crate::domain::fields;
use crate::domain::staff_action::Action;
use crate::store::accounts;
use crate::write::{self, AccountUpdate};

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
        email: fields::email(&mut bad, "email", &request.email),
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
    let account = if request.account_id.is_empty() {
        let email = fields::email(&mut bad, "email", &request.email);
        bad.check()?;
        let found = accounts::with_address(&operations.pool, &email).await?;
        let newest = found.into_iter().next();
        newest.ok_or_else(|| Identifier::Email(email).unknown())?
    } else {
        let id = bad.id("account_id", &request.account_id);
        bad.check()?;
        operations.account(&Identifier::Id(id)).await?
    };
    let plan = operations.plans.get_or_cheapest(&account.plan);
    let plan_use = operations.plan_use(account.id).await?;
    Ok(proto::AccountsServiceGetAccountResponse {
        account: Some((&account).into()),
        plan: Some(plan.into()),
        month: Some(plan_use.month_use(plan)),
        working_keys: plan_use.working_keys,
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
    let name = request
        .name
        .map(|name| fields::name(&mut bad, "name", &name));
    let email = request
        .email
        .map(|email| fields::email(&mut bad, "email", &email));
    bad.check()?;
    let (producer, update) = (
        &accounts.operations.producer,
        AccountUpdate { id, name, email },
    );
    let account = write::accounts::change(producer, &by, &update).await?;
    Ok(proto::AccountsServiceChangeAccountResponse {
        account: Some((&account).into()),
    })
}
